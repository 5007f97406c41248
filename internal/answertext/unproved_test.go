package answertext_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
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

// A date that the cited sources do not have is unproved. The day of now is in prompts.
func TestUnproved(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for date, want := range map[string]bool{
		"2 March 2025": true, "29 November 2026": true, "2026-11-29": true, "2025": true, "10:45": true,
		"30 November 2026": false, "November 30, 2026": false, "30.11.2026": false, "2026-11-30": false, "2026": false,
	} {
		audit := &qed.CitationAudit{Findings: []qed.CitationFinding{{Kind: qed.WrongDate, Text: date}}}
		if got := answertext.Unproved(audit, now); (len(got) == 1) != want {
			t.Errorf("%s: %q", date, got)
		}
	}
	audit := &qed.CitationAudit{Findings: []qed.CitationFinding{{Kind: qed.WrongNumber, Text: "30"}, {Kind: qed.WrongQuote, Text: "so"}}}
	if diff := cmp.Diff([]string{"30"}, answertext.Unproved(audit, now)); diff != "" {
		t.Error(diff)
	}
}
