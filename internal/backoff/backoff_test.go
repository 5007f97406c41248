package backoff_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/backoff"
)

func TestSleepWithin(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	soon, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		d    time.Duration
		want bool
	}{
		{"to the end", t.Context(), time.Microsecond, true},
		{"no time", t.Context(), 0, true},
		{"cancelled", cancelled, time.Hour, false},
		{"beyond the deadline", soon, time.Hour, false},
		{"before the deadline", soon, time.Microsecond, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := backoff.SleepWithin(tt.ctx, tt.d); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
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
			if got := backoff.RetryAfter(h, now); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
