import { defineConfig } from "vitest/config";
import { pure } from "../vitest.config.ts";

/** The tests that may notice a change of config, state or render. */
export default defineConfig({
  test: {
    include: [...pure, "test/{config,state,render}/**/*.test.ts"],
    setupFiles: ["test/support/setup.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
