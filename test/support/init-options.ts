/** The command line of `mirrorfeed init` that makes a feed of one mirror for GitHub Pages without a question. */
export const initForPages = [
  ...["init", "--yes", "--host", "github-pages", "--mirror", "https://git.example.org/a/t"],
  ...["--system", "s", "--project", "p", "--target", "t"],
];
