import {
  backupWindowOf,
  backupWindowText,
  maintenanceWindowOf,
  maintenanceWindowText,
  windowsOverlap,
} from "./windows.js";

it.each([
  ["03:00-04:00", { start: { hour: "03", minute: "00" }, duration: "1.0" }],
  ["13:14-13:44", { start: { hour: "13", minute: "14" }, duration: "0.5" }],
  ["23:30-01:45", { start: { hour: "23", minute: "30" }, duration: "2.25" }],
  ["22:00-10:00", { start: { hour: "22", minute: "00" }, duration: "12.0" }],
])("converts RDS's backup window %s to the record's form and back", (text, window) => {
  expect(backupWindowOf(text)).toEqual(window);
  expect(backupWindowText(window)).toBe(text);
});

it("converts a maintenance window with its days to the record's form and back", () => {
  const window = {
    start: { day: "saturday", hour: "23", minute: "45" },
    end: { day: "sunday", hour: "00", minute: "15" },
  };
  expect(maintenanceWindowOf("sat:23:45-sun:00:15")).toEqual(window);
  expect(maintenanceWindowText(window)).toBe("sat:23:45-sun:00:15");
});

it("accepts every day of the week", () => {
  const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
  const read = days.map((day) => maintenanceWindowOf(`${day}:05:00-${day}:05:30`).start.day);
  expect(read).toEqual(["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]);
});

it.each([
  ["03:00-04:00", "sun:03:30-sun:04:00", true],
  ["03:00-04:00", "sun:04:00-sun:04:30", false],
  ["03:00-04:00", "sat:23:00-sun:03:00", false],
  ["03:00-04:00", "sat:23:00-sun:03:01", true],
  ["23:30-00:30", "sun:00:00-sun:00:30", true],
  ["23:30-00:30", "sat:23:00-sat:23:30", false],
  ["00:00-00:30", "tue:00:15-mon:23:45", true],
])("knows whether the daily window %s and the weekly %s overlap", (backup, maintenance, expected) => {
  expect(windowsOverlap(backupWindowOf(backup), maintenanceWindowOf(maintenance))).toBe(expected);
});
