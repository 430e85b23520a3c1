/**
 * Files below the home directory that shells, login managers and git run or obey at their next start. A line in one of them acts
 * with all rights of the user, later and outside of every sandbox.
 */
export const START_UP_FILES: readonly string[] = (
  ".bash_aliases .bash_login .bash_logout .bash_profile .bashrc .cshrc .gitconfig .inputrc .kshrc .login .logout .mkshrc .pam_environment " +
  ".profile .tcshrc .xinitrc .xprofile .xsession .xsessionrc .zlogin .zlogout .zprofile .zshenv .zshrc"
).split(" ");

/** Folders of which every file is such a one. */
export const START_UP_FOLDERS: readonly string[] =
  ".config/autostart .config/environment.d .config/fish .config/git .config/systemd .local/share/systemd".split(" ");

/**
 * What an empty file of that name would hide from its reader: bash does not read `.profile` if there is a `.bash_profile`. A
 * placeholder has this text instead, so that a login during a command works as before.
 */
export const NEUTRAL_TEXTS: Readonly<Record<string, string>> = {
  ".bash_profile": "if [ -s ~/.bash_login ]; then . ~/.bash_login; elif [ -r ~/.profile ]; then . ~/.profile; fi",
  ".inputrc": "$include /etc/inputrc",
  ".tcshrc": "if (-r ~/.cshrc) source ~/.cshrc",
  ".xinitrc": "[ -r /etc/X11/xinit/xinitrc ] && . /etc/X11/xinit/xinitrc",
  ".xsession": "exec x-session-manager",
};
