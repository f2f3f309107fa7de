/** The paths of the workflows in a repository, where GitHub finds them, and of their script. */
export const workflowPath = ".github/workflows/refresh.yml";
export const validatePath = ".github/workflows/validate.yml";
export const summaryPath = ".github/workflows/summary.js";
