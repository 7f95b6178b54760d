// Aliases, since Prisma's JSON type requires an index signature, which interfaces lack.

/** A time of day in UTC, both in two digits. */
type TimeOfDay = { hour: string; minute: string };

/** The daily time of backups, as the record shows it; the duration in hours. */
export type BackupWindow = { start: TimeOfDay; duration: string };

/** The weekly time of maintenance, as the record shows it; the days in lower case. */
export type MaintenanceWindow = { start: TimeOfDay & { day: string }; end: TimeOfDay & { day: string } };

const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const DAY_MINUTES = 24 * 60;
const WEEK_MINUTES = 7 * DAY_MINUTES;

/** A backup window in RDS's format, `hh:mm-hh:mm`. */
export function backupWindowText({ start, duration }: BackupWindow): string {
  const end = (minutesOf(start) + Math.round(Number(duration) * 60)) % DAY_MINUTES;
  return `${start.hour}:${start.minute}-${textOf(end)}`;
}

/** The record's form of RDS's. */
export function backupWindowOf(text: string): BackupWindow {
  const [start = "", end = ""] = text.split("-");
  const minutes = (minutesOf(timeOf(end)) - minutesOf(timeOf(start)) + DAY_MINUTES) % DAY_MINUTES;
  return { start: timeOf(start), duration: hoursText(minutes) };
}

/** A maintenance window in RDS's format, `ddd:hh:mm-ddd:hh:mm`. */
export function maintenanceWindowText({ start, end }: MaintenanceWindow): string {
  return [start, end].map(({ day, hour, minute }) => `${day.slice(0, 3)}:${hour}:${minute}`).join("-");
}

/** The record's form of RDS's. */
export function maintenanceWindowOf(text: string): MaintenanceWindow {
  const [start = "", end = ""] = text.split("-");
  return { start: momentOf(start), end: momentOf(end) };
}

/** The length of a maintenance window in minutes. */
export function maintenanceMinutes({ start, end }: MaintenanceWindow): number {
  return (weekMinutesOf(end) - weekMinutesOf(start) + WEEK_MINUTES) % WEEK_MINUTES;
}

/** True if a backup window and a maintenance window have a minute in common, which RDS refuses. */
export function windowsOverlap({ start, duration }: BackupWindow, maintenance: MaintenanceWindow): boolean {
  const minutes = Math.round(Number(duration) * 60);
  return DAYS.some((_, day) => {
    const begin = day * DAY_MINUTES + minutesOf(start);
    const offset = (weekMinutesOf(maintenance.start) - begin + WEEK_MINUTES) % WEEK_MINUTES;
    return offset < minutes || WEEK_MINUTES - offset < maintenanceMinutes(maintenance);
  });
}

function weekMinutesOf({ day, ...time }: MaintenanceWindow["start"]): number {
  return DAYS.indexOf(day) * DAY_MINUTES + minutesOf(time);
}

function momentOf(text: string): TimeOfDay & { day: string } {
  const day = DAYS.find((name) => name.startsWith(text.slice(0, 3).toLowerCase())) ?? "";
  return { day, ...timeOf(text.slice(4)) };
}

function timeOf(text: string): TimeOfDay {
  const [hour = "", minute = ""] = text.split(":");
  return { hour, minute };
}

function minutesOf({ hour, minute }: TimeOfDay): number {
  return Number(hour) * 60 + Number(minute);
}

function textOf(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");
}

/** Hours as a decimal: "0.5", "1.0", "2.25". */
function hoursText(minutes: number): string {
  const hours = String(Math.round((minutes / 60) * 100) / 100);
  return hours.includes(".") ? hours : `${hours}.0`;
}
