package drafts_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/drafts"
	"github.com/qedkit/qed/refusal"
)

func TestBare(t *testing.T) {
	for in, want := range map[string]string{
		" SELECT 1 ":                      "SELECT 1",
		"```sql\nSELECT 1\n```":           "SELECT 1",
		"```\n{\"size\": 1}\n```":         `{"size": 1}`,
		"```json {\"size\": 1} ```":       `{"size": 1}`,
		"```{\"query\": {\n\"a\": 1}}```": "{\"query\": {\n\"a\": 1}}",
		"```SELECT a\nFROM t```":          "SELECT a\nFROM t",
		"":                                "",
	} {
		if got := drafts.Bare(in); got != want {
			t.Errorf("Bare(%q) = %q, want %q", in, got, want)
		}
	}
}

// A draft is stored as JSON between its steps.
func TestDraft(t *testing.T) {
	var d drafts.Draft
	write := func(query string, want bool) {
		t.Helper()
		if got := d.Write(t.Context(), "sql", query); got != want {
			t.Errorf("Write(%q) = %v, want %v", query, got, want)
		}
		raw, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		d = drafts.Draft{}
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatal(err)
		}
	}
	write("SELECT a", true)
	d.Refuse(t.Context(), []refusal.Problem{{Code: "unknown", Message: "there is no a", Candidates: []string{"b"}}})
	write("SELECT  a", false)
	if d.Query != "SELECT a" || d.Reason() != "there is no a (did you mean b?)" {
		t.Errorf("a repeated query changed the draft: %+v", d)
	}
	write("SELECT c", true)
	if d.Query != "SELECT c" || len(d.Problems) > 0 {
		t.Errorf("draft = %+v", d)
	}
	d.Refuse(t.Context(), make([]refusal.Problem, 20))
	if len(d.ProblemLines()) != 10 || d.Refused != 2 {
		t.Errorf("draft = %+v", d)
	}
	want := []qed.Correction{{Query: "SELECT a", Reason: "there is no a (did you mean b?)"}}
	if diff := cmp.Diff(want, d.Earlier(drafts.MaxEarlier)); diff != "" {
		t.Errorf("earlier (-want +got):\n%s", diff)
	}
}
