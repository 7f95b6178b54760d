import { Argument, Command } from "commander";
import type { Builder } from "./builder.js";

const SCRIPTS: Record<string, string> = {
  bash: `_gantry() {
  local IFS=$'\\n'
  COMPREPLY=($(gantry __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  [[ \${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -F _gantry gantry
`,
  zsh: `#compdef gantry
_gantry() {
  local -a candidates
  candidates=("\${(@f)$(gantry __complete "\${words[@]:1:$CURRENT-1}" 2>/dev/null)}")
  compadd -- $candidates
}
compdef _gantry gantry
`,
  fish: `function __gantry_complete
  set -l words (commandline -opc) (commandline -ct)
  gantry __complete $words[2..-1] 2>/dev/null
end
complete -c gantry -f -a '(__gantry_complete)'
`,
};

const HOW = `
  bash:  echo 'source <(gantry completion bash)' >> ~/.bashrc
  zsh:   echo 'source <(gantry completion zsh)' >> ~/.zshrc
  fish:  gantry completion fish > ~/.config/fish/completions/gantry.fish`;

export const build: Builder = (name, sessionOf) =>
  new Command(name)
    .addArgument(new Argument("<shell>").choices(Object.keys(SCRIPTS)))
    .addHelpText("after", HOW)
    .action((shell: string, _options: object, command: Command) => {
      sessionOf(command).terminal.out.write(SCRIPTS[shell] as string);
    });
