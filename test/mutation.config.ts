import { defineConfig } from "vitest/config";
import { pure } from "../vitest.config.ts";

/** The tests for the files in stryker.config.js. */
export default defineConfig({
  test: {
    include: [...pure, "test/{core/{config,state,feed,site},features/changes}/**/*.test.ts"],
    setupFiles: ["test/support/setup.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
