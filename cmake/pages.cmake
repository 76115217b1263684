# Man pages and completions, made by varve-pages from the table of verbs, in ${build}/pages. What is more than a verb is made
# from its document.

file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/pages/*.c)
add_executable(varve-pages ${pages})
target_link_libraries(varve-pages PRIVATE varve_cli)

# TSan's memory map does not fit the widest address randomisation of newer kernels.
set(around)
if(VARVE_SANITIZE MATCHES thread)
  set(around setarch -R)
endif()
set(folder ${CMAKE_BINARY_DIR}/pages)
add_custom_command(
  OUTPUT ${folder}/stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
  COMMAND ${around} $<TARGET_FILE:varve-pages> ${folder}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}/man7
  COMMAND ${Python3_EXECUTABLE} -B gen/manual.py docs/filter.md varve-filter 7 "the filter language of --where" ${PROJECT_VERSION}
          > ${folder}/man7/varve-filter.7
  COMMAND ${Python3_EXECUTABLE} -B gen/manual.py docs/howto/mark-regions.md varve-regions 7 "naming the parts of a program"
          ${PROJECT_VERSION} > ${folder}/man7/varve-regions.7
  COMMAND ${CMAKE_COMMAND} -E touch ${folder}/stamp
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  DEPENDS varve-pages docs/filter.md docs/howto/mark-regions.md gen/manual.py
  COMMENT "Making man pages and completions"
  VERBATIM)
add_custom_target(varve_pages_made ALL DEPENDS ${folder}/stamp)

install(DIRECTORY ${folder}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY ${folder}/man7/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man7)
install(FILES ${folder}/varve.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME varve)
install(FILES ${folder}/_varve DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${folder}/varve.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
