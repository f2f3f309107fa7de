import { stderr } from "node:process";

/** Says at the end of `npm test` what was left out. */
export default function sayWhatIsLeftOut(): () => void {
  return () => {
    stderr.write(
      "Left out: faults, workflows, web servers, package managers and browsers. To test them, too: npm run test:all\n",
    );
  };
}
