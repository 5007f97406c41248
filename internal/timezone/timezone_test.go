package timezone_test

import (
	"errors"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/timezone"
)

func TestLoad(t *testing.T) {
	july := time.Date(2024, 7, 1, 0, 0, 0, 0, time.UTC)
	for name, want := range map[string]string{
		"":                 "2024-07-01 00:00 +0000",
		"UTC":              "2024-07-01 00:00 +0000",
		"Europe/Berlin":    "2024-07-01 02:00 +0200",
		"Asia/Kathmandu":   "2024-07-01 05:45 +0545",
		"America/New_York": "2024-06-30 20:00 -0400",
		"+02:00":           "2024-07-01 02:00 +0200",
		"-03:30":           "2024-06-30 20:30 -0330",
		"+14:00":           "2024-07-01 14:00 +1400",
		"-00:00":           "2024-07-01 00:00 +0000",
	} {
		zone, err := timezone.Load(name)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if got := july.In(zone).Format("2006-01-02 15:04 -0700"); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
		if again, err := timezone.Load(zone.String()); err != nil || july.In(again).String() != july.In(zone).String() {
			t.Errorf("the name of %q is %q: %v", name, zone, err)
		}
	}
	for _, name := range []string{
		"Local", "localtime", "posixrules", "CEST", "Europe/Nowhere", "+2", "+02", "+0200", "02:00", "+02:60", "+14:01", "+99:00", "UTC+2", "../etc/passwd", "\x00",
	} {
		if _, err := timezone.Load(name); !errors.Is(err, timezone.ErrName) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
