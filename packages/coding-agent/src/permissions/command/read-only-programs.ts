/**
 * A program that changes nothing, starts nothing and reads only the files its words name, as long as every word that begins
 * with `-` is in these lists. An option that is not listed is not understood.
 */
export interface ReadOnlyProgram {
  /** Letters of short options without a value. */
  flags?: string;
  /** Letters of short options with a value, attached or in the next word. */
  valued?: string;
  /** True if letters attached to an option with a value are read as more options, so values must be separate words. */
  hasDetachedValues?: boolean;
  /** True if only a number may be attached to an option with a value; letters there are options (`tail -cf`). */
  hasNumericValues?: boolean;
  /** Names of long options, in full, with or without a value. */
  long?: string;
  /** Whole words that are options, with one dash. */
  words?: string;
  /** True if a word that begins with `+` is an option. Only a number is accepted (`tail +5f` follows the file). */
  hasPlusOptions?: boolean;
  /** True if a number is an option (`head -5`). */
  takesNumbers?: boolean;
  /** True if words are never file names. */
  isText?: boolean;
  /** True if no words, including options, can have an effect. */
  takesAnything?: boolean;
  /** Maximum number of words; more would have an effect. */
  operands?: number;
  /** The first word must be one of these. */
  subcommands?: string;
  /** Options that may precede the subcommand. */
  globals?: string;
  /** True if it may start programs that a project names, so that it is read-only only in a full-strength sandbox. */
  isConfinedOnly?: boolean;
}

const GREP: ReadOnlyProgram = {
  flags: "EFGPaHILTUZbchilnoqrsvwxyz",
  valued: "ABCem",
  takesNumbers: true,
  long:
    "after-context basic-regexp before-context binary-files byte-offset color colour context count exclude exclude-dir extended-regexp " +
    "files-with-matches files-without-match fixed-strings ignore-case include initial-tab invert-match label line-buffered " +
    "line-number line-regexp max-count no-filename no-ignore-case no-messages null null-data only-matching perl-regexp quiet " +
    "recursive regexp silent text with-filename word-regexp",
};

const DIGEST: ReadOnlyProgram = { flags: "btz", long: "base64 binary tag text untagged zero" };

export const READ_ONLY_PROGRAMS: Readonly<Record<string, ReadOnlyProgram>> = {
  basename: { flags: "az", valued: "s", long: "multiple suffix zero", isText: true },
  cat: {
    flags: "AETbenstuv",
    long: "number number-nonblank show-all show-ends show-nonprinting show-tabs squeeze-blank",
  },
  cksum: { flags: "z", valued: "a", long: "algorithm base64 tag untagged zero" },
  cmp: { flags: "bls", valued: "in", long: "bytes ignore-initial print-bytes quiet silent verbose" },
  comm: { flags: "123z", long: "check-order nocheck-order output-delimiter total zero-terminated" },
  cut: {
    flags: "nsz",
    valued: "bcdf",
    long: "bytes characters complement delimiter fields only-delimited output-delimiter zero-terminated",
  },
  dirname: { flags: "z", long: "zero", isText: true },
  du: {
    flags: "PSabchklmsx0",
    valued: "Bdt",
    long:
      "all apparent-size block-size bytes count-links exclude human-readable inodes max-depth no-dereference null one-file-system " +
      "separate-dirs si summarize threshold time time-style total",
  },
  echo: { takesAnything: true },
  egrep: GREP,
  false: { takesAnything: true },
  fgrep: GREP,
  file: {
    flags: "0Nbhikn",
    valued: "F",
    long: "brief extension keep-going mime mime-encoding mime-type no-dereference no-pad print0 separator",
  },
  find: {
    words:
      "-P -a -and -amin -anewer -atime -cmin -cnewer -ctime -daystart -depth -empty -executable -false -gid -group -iname -inum " +
      "-ipath -iregex -iwholename -links -ls -maxdepth -mindepth -mmin -mount -mtime -name -newer -newerct -newermt -nogroup " +
      "-noleaf -not -nouser -o -or -path -perm -print -print0 -printf -prune -quit -readable -regex -regextype -samefile -size " +
      "-true -type -uid -user -warn -nowarn -wholename -writable -xdev -xtype",
  },
  grep: GREP,
  head: { flags: "qvz", valued: "cn", takesNumbers: true, long: "bytes lines quiet silent verbose zero-terminated" },
  ls: {
    flags: "1ABCFGNQRSUXZabcdfghiklmnopqrstuvx",
    long:
      "all almost-all author block-size classify color directory escape file-type format full-time group-directories-first hide " +
      "human-readable ignore ignore-backups indicator-style inode kibibytes literal no-group numeric-uid-gid quote-name " +
      "quoting-style recursive reverse show-control-chars si size sort time time-style width zero",
  },
  md5sum: DIGEST,
  nl: {
    flags: "p",
    valued: "bdfhilnsvw",
    long:
      "body-numbering footer-numbering header-numbering join-blank-lines line-increment no-renumber number-format number-separator " +
      "number-width section-delimiter starting-line-number",
  },
  pwd: { flags: "LP", isText: true },
  readlink: {
    flags: "efmnqsvz",
    long: "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero",
  },
  realpath: {
    flags: "LPemqsz",
    long: "canonicalize canonicalize-existing canonicalize-missing logical no-symlinks physical quiet relative-base relative-to strip zero",
  },
  rev: {},
  rg: {
    flags: "FHINPSUVacilnopqsuvwx0.",
    valued: "ABCEMTdegjmrt",
    long:
      "after-context auto-hybrid-regex before-context binary block-buffered byte-offset case-sensitive color colors column context " +
      "context-separator count count-matches crlf debug encoding engine field-context-separator field-match-separator files " +
      "files-with-matches files-without-match fixed-strings glob glob-case-insensitive heading hidden iglob ignore-case include-zero " +
      "invert-match json line-buffered line-number line-regexp max-columns max-columns-preview max-count max-depth max-filesize " +
      "mmap multiline multiline-dotall no-column no-config no-filename no-heading no-hidden no-ignore no-ignore-dot " +
      "no-ignore-exclude no-ignore-global no-ignore-parent no-ignore-vcs no-line-number no-messages no-mmap no-unicode null " +
      "null-data one-file-system only-matching passthru path-separator pcre2 pretty quiet regexp replace smart-case sort sortr " +
      "stats text threads trim type type-list type-not unrestricted vimgrep with-filename word-regexp",
  },
  sha1sum: DIGEST,
  sha256sum: DIGEST,
  sha512sum: DIGEST,
  sort: {
    flags: "CMRVbcdfghimnrsuz",
    valued: "Skt",
    long:
      "batch-size buffer-size check debug dictionary-order field-separator general-numeric-sort human-numeric-sort ignore-case " +
      "ignore-leading-blanks ignore-nonprinting key merge month-sort numeric-sort parallel random-sort reverse sort stable unique " +
      "version-sort zero-terminated",
  },
  stat: { flags: "Lft", valued: "c", long: "cached dereference file-system format printf terse" },
  tac: { flags: "br", valued: "s", long: "before regex separator" },
  tail: {
    flags: "qvz",
    valued: "cn",
    hasNumericValues: true,
    hasPlusOptions: true,
    takesNumbers: true,
    long: "bytes lines quiet silent verbose zero-terminated",
  },
  tr: { flags: "Ccdst", long: "complement delete squeeze-repeats truncate-set1", isText: true },
  tree: {
    flags: "ACDFJNQSUXacdfghinpqrstuvx",
    valued: "ILP",
    hasDetachedValues: true,
    long:
      "charset device dirsfirst du filelimit filesfirst gitignore ignore-case inodes matchdirs metafirst nolinks noreport " +
      "prune si sort timefmt",
  },
  true: { takesAnything: true },
  uname: { flags: "aimnoprsv", long: "all kernel-name kernel-release machine nodename operating-system", isText: true },
  uniq: {
    flags: "Dcdiuz",
    valued: "fsw",
    operands: 1,
    long: "all-repeated check-chars count group ignore-case repeated skip-chars skip-fields unique zero-terminated",
  },
  wc: { flags: "Lclmw", long: "bytes chars lines max-line-length total words" },
  which: { flags: "as", isText: true },
  git: {
    isConfinedOnly: true, // the configuration of the repository names programs that git starts
    globals: "--no-pager --no-optional-locks --literal-pathspecs",
    subcommands: "describe diff diff-tree log ls-files ls-tree merge-base rev-list rev-parse shortlog show status",
    flags: "Rabcdehikmnopqrstuvwz1234",
    valued: "ABCDGLMSUn",
    takesNumbers: true,
    long:
      "abbrev abbrev-commit abbrev-ref after all always ancestry-path author before branch branches cached check cherry-mark " +
      "cherry-pick color color-moved color-words committer contains count cumulative date date-order decorate deleted diff-algorithm " +
      "diff-filter directory dirstat dirty email exact-match exclude exclude-standard find-copies find-renames first-parent " +
      "follow fork-point format full-history full-index full-name git-dir glob graph grep histogram ignore-all-space " +
      "ignore-blank-lines ignore-case ignore-space-at-eol ignore-space-change ignored independent inter-hunk-context invert-grep " +
      "is-ancestor is-bare-repository is-inside-work-tree left-right long match max-count merge-base merges minimal modified " +
      "name-only name-status no-abbrev no-abbrev-commit no-color no-decorate no-empty-directory no-ext-diff no-merges no-notes " +
      "no-patch no-prefix no-renames no-textconv not numbered numstat objects oneline others parents patch patch-with-stat patience " +
      "pickaxe-all pickaxe-regex porcelain pretty raw relative relative-date remotes reverse root short shortstat " +
      "show-current show-prefix show-stash show-toplevel simplify-by-decoration since skip stage staged stat summary " +
      "symbolic-full-name tags topo-order unified unmerged until untracked untracked-files verify walk-reflogs word-diff " +
      "word-diff-regex",
  },
};

/** Programs that may be called with `--version`; some of them start project programs to answer it. */
export const VERSIONED_PROGRAMS = new Set("bun deno gcc git java javac node python python3 ruby".split(" "));
