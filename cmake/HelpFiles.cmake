# Man pages and completions, written from the tool's own help texts whenever it is linked.

set(help ${PROJECT_BINARY_DIR}/share/help)
set(scripts ${PROJECT_SOURCE_DIR}/scripts)
add_custom_command(
  OUTPUT ${help}/stamp
  COMMAND ${PTOSCOPE_PYTHON} -B ${scripts}/man_pages.py $<TARGET_FILE:ptoscope> ${help}/man1
  COMMAND ${PTOSCOPE_PYTHON} -B ${scripts}/completions.py $<TARGET_FILE:ptoscope> ${help}
  COMMAND ${CMAKE_COMMAND} -E touch ${help}/stamp
  DEPENDS ptoscope ${scripts}/tool_help.py ${scripts}/man_pages.py ${scripts}/completions.py
  COMMENT "Writing man pages and completions")
add_custom_target(ptoscope-help-files ALL DEPENDS ${help}/stamp)
add_dependencies(ptoscope-tests ptoscope-help-files)

install(DIRECTORY ${help}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} FILES_MATCHING PATTERN "*.1")
install(FILES ${help}/bash/ptoscope DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
# zsh looks into the first below /usr/local, Debian's into the second below /usr.
install(FILES ${help}/zsh/_ptoscope DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${help}/zsh/_ptoscope DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${help}/fish/ptoscope.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# Recipes to copy; the extension of VS Code is a package of its own.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/editors/neovim ${PROJECT_SOURCE_DIR}/editors/emacs
  DESTINATION ${CMAKE_INSTALL_DATADIR}/ptoscope/editors)
