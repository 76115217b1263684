# Man pages and completions, made by varve-pages from the table of verbs, in ${build}/pages.

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
  COMMAND ${CMAKE_COMMAND} -E touch ${folder}/stamp
  DEPENDS varve-pages
  COMMENT "Making man pages and completions"
  VERBATIM)
add_custom_target(varve_pages_made ALL DEPENDS ${folder}/stamp)

install(DIRECTORY ${folder}/man/ DESTINATION share/man/man1)
install(FILES ${folder}/varve.bash DESTINATION share/bash-completion/completions RENAME varve)
install(FILES ${folder}/_varve DESTINATION share/zsh/site-functions)
install(FILES ${folder}/varve.fish DESTINATION share/fish/vendor_completions.d)
