package postgresdb

import (
	"testing"

	"github.com/qedkit/qed/internal/timezone"
)

// The setting TimeZone counts an offset to the west, and an option to the east.
func TestZoneSetting(t *testing.T) {
	for name, want := range map[string]string{
		"Europe/Berlin": "Europe/Berlin",
		"UTC":           "UTC",
		"+02:00":        "<+02:00>-02:00",
		"-03:30":        "<-03:30>+03:30",
		"+00:00":        "<+00:00>+00:00",
	} {
		setting := zoneSetting(name)
		if setting != want {
			t.Errorf("%s is set as %s, want %s", name, setting, want)
		}
		if again := zoneName(setting); again != name {
			t.Errorf("%s is read as %q, want %s", setting, again, name)
		}
	}
}

func TestZoneName(t *testing.T) {
	for setting, want := range map[string]string{
		"<+02>-02":          "+02:00",
		"<+0530>-05:30":     "+05:30",
		"<-05>+05":          "-05:00",
		"<-05>5":            "-05:00",
		"<+05:30:00>-05:30": "+05:30",
		"Asia/Kathmandu":    "Asia/Kathmandu",

		"":                   "",
		"CET-1CEST":          "",
		"localtime":          "",
		"Local":              "",
		"<+00>-00:53:28":     "",
		"<+20>-20":           "",
		"<X>-1<Y>,M3.5.0/2":  "",
		"Europe/Nowhere":     "",
		"<+02>-02:99":        "",
		"posixrules, or not": "",
	} {
		got := zoneName(setting)
		if got != want {
			t.Errorf("%q is read as %q, want %q", setting, got, want)
		}
		if _, err := timezone.Load(got); err != nil {
			t.Errorf("%q: %v", setting, err)
		}
	}
}
