package retry_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/qedkit/qed/retry"
)

func TestNext(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	soon, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	short := retry.Policy{Attempts: 3, Wait: time.Microsecond, MaxWait: time.Second}
	long := retry.Policy{Attempts: 3, Wait: 2 * time.Hour, MaxWait: 3 * time.Hour}
	for _, tt := range []struct {
		name    string
		ctx     context.Context
		policy  retry.Policy
		attempt int
		asked   time.Duration
		want    bool
	}{
		{"waits", t.Context(), short, 1, 0, true},
		{"waits as long as the server asks", t.Context(), short, 1, time.Millisecond, true},
		{"no wait", t.Context(), retry.Policy{Attempts: 2, Wait: -1}, 1, 0, true},
		{"last attempt", t.Context(), short, 3, 0, false},
		{"the server asks for too long", t.Context(), short, 1, 2 * time.Second, false},
		{"cancelled", cancelled, long, 1, 0, false},
		{"beyond the deadline", soon, long, 1, 0, false},
		{"before the deadline", soon, short, 1, 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.policy.Next(tt.ctx, tt.attempt, tt.asked); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestDelayDoublesUpToTheLongest(t *testing.T) {
	p := retry.Policy{Attempts: 9, Wait: time.Second, MaxWait: 5 * time.Second}
	for attempt, most := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second} {
		for range 100 {
			if d, ok := p.Delay(attempt+1, 0); !ok || d < most/2 || d > most {
				t.Fatalf("attempt %d: %v, %v; want between %v and %v", attempt+1, d, ok, most/2, most)
			}
		}
	}
}

func TestOr(t *testing.T) {
	standard := retry.Policy{Attempts: 4, Wait: time.Second, MaxWait: time.Minute}
	if got, err := (retry.Policy{}).WithDefaults("x", standard); err != nil || got != standard {
		t.Errorf("the zero policy is %+v, %v", got, err)
	}
	own := retry.Policy{Attempts: 1, Wait: -1, MaxWait: time.Hour}
	if got, err := own.WithDefaults("x", standard); err != nil || got != own {
		t.Errorf("a policy of one's own is %+v, %v", got, err)
	}
	if _, err := (retry.Policy{Attempts: -1}).WithDefaults("x", standard); err == nil {
		t.Error("negative attempts are accepted")
	}
}

func TestAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	in := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, tt := range []struct {
		name   string
		header map[string]string
		want   time.Duration
	}{
		{"not said", nil, 0},
		{"seconds", map[string]string{"Retry-After": "7"}, 7 * time.Second},
		{"a part of one", map[string]string{"Retry-After": "1.5"}, 1500 * time.Millisecond},
		{"milliseconds first", map[string]string{"Retry-After-Ms": "20", "Retry-After": "7"}, 20 * time.Millisecond},
		{"a date", map[string]string{"Retry-After": in(time.Minute)}, time.Minute},
		{"a date by the server's clock", map[string]string{"Retry-After": in(time.Minute), "Date": in(50 * time.Second)}, 10 * time.Second},
		{"a date that has passed", map[string]string{"Retry-After": in(-time.Minute)}, 0},
		{"longer than a day", map[string]string{"Retry-After": "1e30"}, 24 * time.Hour},
		{"negative", map[string]string{"Retry-After": "-1"}, 0},
		{"no number", map[string]string{"Retry-After": "NaN"}, 0},
		{"a unit", map[string]string{"Retry-After": "2s"}, 2 * time.Second},
		{"Azure", map[string]string{"X-Ms-Retry-After-Ms": "250"}, 250 * time.Millisecond},
		{"a limit", map[string]string{"X-Ratelimit-Reset-Requests": "1m2.5s"}, 62500 * time.Millisecond},
		{"the limit that is used up", map[string]string{"X-Ratelimit-Reset-Requests": "20ms", "X-Ratelimit-Remaining-Requests": "3",
			"X-Ratelimit-Reset-Tokens": "7.66s", "X-Ratelimit-Remaining-Tokens": "0"}, 7660 * time.Millisecond},
		{"no limit is used up", map[string]string{"X-Ratelimit-Reset-Requests": "20s", "X-Ratelimit-Remaining-Requests": "3"}, 0},
		{"milliseconds since 1970", map[string]string{"X-Ratelimit-Reset": strconv.FormatInt(now.Add(time.Minute).UnixMilli(), 10)}, time.Minute},
		{"seconds since 1970", map[string]string{"X-Ratelimit-Reset": strconv.FormatInt(now.Add(time.Minute).Unix(), 10)}, time.Minute},
		{"a draft", map[string]string{"Ratelimit-Reset": "30"}, 30 * time.Second},
		{"a later draft", map[string]string{"Ratelimit": "limit=10, remaining=0, reset=50"}, 50 * time.Second},
		{"the latest draft", map[string]string{"Ratelimit": `"default";r=0;t=40`}, 40 * time.Second},
		{"Anthropic", map[string]string{"Anthropic-Ratelimit-Requests-Reset": now.Add(9 * time.Second).Format(time.RFC3339)}, 9 * time.Second},
		{"a limit that has ended", map[string]string{"X-Ratelimit-Reset": "1000000001"}, 0},
		{"the header that is meant", map[string]string{"Retry-After": "3", "X-Ratelimit-Reset-Requests": "1m"}, 3 * time.Second},
		{"neither", map[string]string{"Retry-After": "soon"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := http.Header{}
			for name, value := range tt.header {
				h.Set(name, value)
			}
			if got := retry.RetryAfter(h, now); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestPause(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"2.5": 2500 * time.Millisecond, "1m30.5s": 90500 * time.Millisecond, "20ms": 20 * time.Millisecond, "2 minutes": 2 * time.Minute,
		"1h": time.Hour, "2 min, 5 sec": 125 * time.Second, "99999999999h": 24 * time.Hour, "1d": 24 * time.Hour,
		"": 0, "soon": 0, "5 apples": 0, "-3": 0, "1e3": 0, "in 5s": 0,
	} {
		if got := retry.Pause(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
