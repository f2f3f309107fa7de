import { nginx } from "../../../src/features/hosts/nginx.ts";
import { describeEngine } from "./engine.ts";
import { hasNginx, startNginx } from "./nginx-process.ts";
import { describeWith } from "../../support/requirement.ts";
import { describeServer, describeServerFiles } from "./web-server.ts";

describeServerFiles(nginx);

describeWith("nginx", hasNginx, "nginx keeps the contract", () => {
  describeEngine(nginx, startNginx);
  describeServer(nginx, startNginx, { ownsServer: true });
});
