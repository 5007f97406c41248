package retry_test

import (
	"context"
	"net/http"
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
