// The completion scripts. Each asks `tollgate complete -- WORDS` for the values that can stand in place of the last word: a
// line for each, with its description after a tab; or `:files` or `:commands`, which the shell knows itself. No word is evaluated: it may have a command in it.

/** Without bash-completion, and for the Bash 3.2 of macOS. Bash takes `:` and `=` for the ends of words. */
const BASH = `_tollgate() {
  local line=\${COMP_LINE:0:COMP_POINT} current prefix value
  local -a words
  read -r -a words <<< "$line"
  if [[ $line == *[[:space:]] ]]; then words+=(''); fi
  current=\${words[\${#words[@]}-1]}
  prefix=\${current%"\${current##*[:=]}"}
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    case $value in
      :files) ;;
      :commands) while read -r value; do COMPREPLY+=("$value"); done < <(compgen -c -- "$current" | sort -u) ;;
      *) COMPREPLY+=("\${value#"$prefix"}") ;;
    esac
  done < <(tollgate complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _tollgate tollgate
`

const ZSH = `#compdef tollgate
_tollgate() {
  local line
  local -a values
  for line in "\${(@f)$(tollgate complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then _files; return; fi
    if [[ $line == :commands ]]; then _command_names -e; return; fi
    if [[ -n $line ]]; then values+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}"); fi
  done
  _describe tollgate values
}
compdef _tollgate tollgate
`

const FISH = `function __tollgate_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines (tollgate complete -- $words[2..-1] 2>/dev/null)
    if test "$lines[1]" = ":files"
        __fish_complete_path (commandline -ct)
    else if test "$lines[1]" = ":commands"
        __fish_complete_command
    else
        printf '%s\\n' $lines
    end
end
complete -c tollgate -f -a '(__tollgate_complete)'
`

export const completionScripts: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
