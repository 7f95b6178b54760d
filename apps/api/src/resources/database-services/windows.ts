import { z } from "zod";
import { strict } from "../../http/input.js";

const hour = z.string().regex(/^([01]\d|2[0-3])$/, "must be two digits from 00 to 23");
const minute = z.string().regex(/^[0-5]\d$/, "must be two digits from 00 to 59");
const time = { hour, minute };
const day = z.enum(["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]);

/** A backup window as the record shows it. */
export const backupWindow = z.object({ start: z.object(time), duration: z.string().describe("Hours, decimal") });

export const maintenanceWindow = z.object({ start: z.object({ day, ...time }), end: z.object({ day, ...time }) });

/** A backup window as it is asked for. RDS takes none that is shorter than half an hour. */
export const backupWindowInput = strict({
  start_time: strict(time),
  duration: z.number().min(0.5).max(12).describe("Hours"),
});

type Asked = z.infer<typeof backupWindowInput>;

const USUAL: Asked = { start_time: { hour: "03", minute: "00" }, duration: 1 };
const MAINTENANCE_MINUTES = 30;

/** The windows of a new master: the backup as asked for, and the maintenance on Sunday half an hour after its end. */
export function windowsOf({ start_time: start, duration }: Asked = USUAL) {
  const minutes = Math.round(duration * 60);
  const begin = Number(start.hour) * 60 + Number(start.minute) + minutes + 30;
  const hours = String(Math.round((minutes / 60) * 100) / 100);
  return {
    backupWindow: { start, duration: hours.includes(".") ? hours : `${hours}.0` },
    maintenanceWindow: { start: onSunday(begin), end: onSunday(begin + MAINTENANCE_MINUTES) },
  };
}

function onSunday(minutes: number): z.infer<typeof maintenanceWindow>["start"] {
  const pad = (part: number) => String(part).padStart(2, "0");
  const name = minutes < 24 * 60 ? "sunday" : "monday";
  return { day: name, hour: pad(Math.floor(minutes / 60) % 24), minute: pad(minutes % 60) };
}
