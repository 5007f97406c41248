package answertext_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/answertext"
)

func TestDoubtNamesFewNumbers(t *testing.T) {
	const doubt = "Not proved by the data and possibly wrong: {numbers}."
	for _, tt := range []struct {
		unproved []string
		want     string
	}{
		{nil, ""},
		{[]string{"31", "31", "{total}"}, "Not proved by the data and possibly wrong: 31, {total}."},
		{[]string{"1", "2", "3", "4", "5", "6", "7"}, "Not proved by the data and possibly wrong: 1, 2, 3, 4, 5, …."},
	} {
		if got := answertext.Doubt(doubt, tt.unproved); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.unproved, got, tt.want)
		}
	}
	if got := answertext.Doubt(doubt, []string{strings.Repeat("9", 400)}); len(got) > 200 {
		t.Errorf("%d bytes", len(got))
	}
}
