# Man pages and completions, which varve-pages makes in ${build}/pages from the table of verbs and from documents.

file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/pages/*.c)
add_executable(varve-pages ${pages})
target_link_libraries(varve-pages PRIVATE varve_cli)

# The memory layout of TSan does not work with the strongest address randomisation of newer kernels.
set(around)
if(VARVE_SANITIZE MATCHES thread)
  set(around setarch -R)
endif()
set(folder ${CMAKE_BINARY_DIR}/pages)
file(GLOB documents CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/*.md ${CMAKE_SOURCE_DIR}/docs/howto/*.md)
add_custom_command(
  OUTPUT ${folder}/stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
  COMMAND ${around} $<TARGET_FILE:varve-pages> ${folder} ${CMAKE_SOURCE_DIR}/docs
  COMMAND ${CMAKE_COMMAND} -E touch ${folder}/stamp
  DEPENDS varve-pages ${documents}
  COMMENT "Making man pages and completions"
  VERBATIM)
add_custom_target(varve_pages_made ALL DEPENDS ${folder}/stamp)

install(DIRECTORY ${folder}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY ${folder}/man7/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man7)
install(FILES ${folder}/varve.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME varve)
install(FILES ${folder}/_varve DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${folder}/varve.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
