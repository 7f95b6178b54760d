import { type BackupWindow, type MaintenanceWindow, timeOfDay } from "@gantry/resources";
import { z } from "zod";
import { strict } from "../../http/input/input.js";

/** The input of a backup window. RDS refuses less than half an hour. */
export const backupWindowInput = strict({
  start_time: strict(timeOfDay),
  duration: z.number().min(0.5).max(12).describe("Hours"),
});

type BackupWindowInput = z.infer<typeof backupWindowInput>;

const DEFAULT_BACKUP_WINDOW: BackupWindowInput = { start_time: { hour: "03", minute: "00" }, duration: 1 };
const MAINTENANCE_MINUTES = 30;

/** The windows of a database server as its record shows them. */
export interface Windows {
  backupWindow: BackupWindow;
  maintenanceWindow: MaintenanceWindow;
}

/** The windows of a new master: the maintenance begins on Sunday, half an hour after the end of the backup. */
export function windowsFor({ start_time: start, duration }: BackupWindowInput = DEFAULT_BACKUP_WINDOW): Windows {
  const minutes = Math.round(duration * 60);
  const hours = String(Math.round((minutes / 60) * 100) / 100);
  const maintenanceStart = Number(start.hour) * 60 + Number(start.minute) + minutes + 30;
  return {
    backupWindow: { start, duration: hours.includes(".") ? hours : `${hours}.0` },
    maintenanceWindow: { start: sundayTime(maintenanceStart), end: sundayTime(maintenanceStart + MAINTENANCE_MINUTES) },
  };
}

function sundayTime(minutes: number): MaintenanceWindow["start"] {
  const pad = (part: number) => String(part).padStart(2, "0");
  const name = minutes < 24 * 60 ? "sunday" : "monday";
  return { day: name, hour: pad(Math.floor(minutes / 60) % 24), minute: pad(minutes % 60) };
}
