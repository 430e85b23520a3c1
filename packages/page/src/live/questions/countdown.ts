const URGENT_MS = 15_000;

export interface Countdown {
  /** `1:05`, or `1:00:05`. */
  text: string;
  isUrgent: boolean;
  isOver: boolean;
}

/** The remaining time, rounded up: until the last second is over, there is time. */
export function countdown(deadline: number, now: number): Countdown {
  const left = Math.max(0, deadline - now);
  const seconds = Math.ceil(left / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (value: number) => String(value).padStart(2, "0");
  const text = hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
  return { text, isUrgent: left <= URGENT_MS, isOver: left === 0 };
}

/** The same for screen readers, announced once when the question appears. */
export function spokenTime(deadline: number, now: number): string {
  const seconds = Math.max(0, Math.ceil((deadline - now) / 1000));
  if (seconds < 90) return seconds === 1 ? "1 second" : `${seconds} seconds`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}
