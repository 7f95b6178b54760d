import datetime, json, time

# AWS finishes every change of an object in place within an hour here, whether a caller looks at the object or not.
LONGEST_CHANGE_S = 3600

# Returns the time of the caller's account as the proxy sends it, in seconds; outside of a call, the machine's own.
def now():
    header = header_of("x-gantry-now")
    return int(header) / 1000 if header else time.time()

def now_as_date():
    return datetime.datetime.fromtimestamp(now(), datetime.timezone.utc)

# Whether the caller of AWS looks at an object, not the proxy.
def is_look():
    return header_of("x-gantry-look") is not None

def header_of(name):
    from flask import has_request_context, request
    return request.headers.get(name) if has_request_context() else None

# The account's delay of a name, in seconds.
def delay_of(name):
    return json.loads(header_of("x-gantry-delays") or "{}").get(name, 0) / 1000

# How the account's changes of this name end, if it says so.
def end_of(name):
    return json.loads(header_of("x-gantry-delays") or "{}").get(name)

# A change that passes through stages. A stage lasts for at least one look of a caller, and for its share of the account's
# delay of this name, so that a caller sees every stage however seldom it looks.
class Progress:
    def __init__(self, stages, delay):
        self.stages, self.delay, self.since, self.looks = stages, delay, now(), 0

    # Counts a caller's look. To be called once in a call that shows the object.
    def look(self):
        self.looks += is_look()

    # The number of stages that are over.
    def over(self):
        elapsed_s = now() - self.since
        delay_s = delay_of(self.delay)
        if elapsed_s > max(LONGEST_CHANGE_S, delay_s):
            return len(self.stages)
        by_time = int(elapsed_s / delay_s * len(self.stages)) if delay_s > 0 else len(self.stages)
        return max(0, min(self.looks - 1, by_time, len(self.stages)))

    # The name of the current stage, or None after the last.
    def stage(self):
        over = self.over()
        return self.stages[over] if over < len(self.stages) else None
