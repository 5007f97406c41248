package stockphrases_test

import (
	"testing"

	"github.com/qedkit/qed/internal/stockphrases"
)

func TestSays(t *testing.T) {
	phrases := []string{"yes", "go ahead", "don't stop"}
	for text, want := range map[string]bool{
		"yes":                     true,
		"  YES!  ":                true,
		"Yes, please.":            true,
		"please go  ahead":        true,
		"yes; go ahead, thanks":   true,
		"thank you: yes":          true,
		"“yes”":                   true,
		"Don’t stop":              true,
		"yes\ngo ahead":           true,
		"":                        false,
		"please":                  false,
		"...":                     false,
		"yes and no":              false,
		"yes, but only the first": false,
		"go":                      false,
		"yesterday":               false,
	} {
		if got := stockphrases.Says(text, phrases); got != want {
			t.Errorf("Says(%q) = %v", text, got)
		}
	}
	for _, text := range []string{"Never mind.", "stop, please", "Forget it!"} {
		if !stockphrases.Says(text, stockphrases.Abort) {
			t.Errorf("%q does not abort", text)
		}
	}
	if text := "stop the ships"; stockphrases.Says(text, stockphrases.Abort) {
		t.Errorf("%q aborts", text)
	}
}

func TestCore(t *testing.T) {
	for part, want := range map[string]string{
		" Skip it, please": "skip it,",
		"please skip it":   "skip it",
		"skip it thanks":   "skip it",
		"Don’t":            "don't",
		"please":           "please",
		"pleased":          "pleased",
	} {
		if got := stockphrases.Core(part); got != want {
			t.Errorf("Core(%q) = %q, want %q", part, got, want)
		}
	}
}

func TestNormal(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		" Two \n\t words. ":     "two words",
		"„Größe“":               "größe",
		"(a, b)":                "a, b",
		"what's up?":            "what's up",
		"[1] done: yes; really": "1] done: yes; really",
	} {
		if got := stockphrases.Normal(text); got != want {
			t.Errorf("Normal(%q) = %q, want %q", text, got, want)
		}
	}
}
