import type { ChannelType } from "../../../core/config/channels.ts";
import type { Channel } from "./channel.ts";
import { email } from "./email.ts";
import { github } from "./github.ts";
import { webhook } from "./webhook.ts";

export const channels: Readonly<Record<ChannelType, Channel>> = { email, github, webhook };
