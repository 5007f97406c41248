package dates_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/dates"
)

// The days that the words mean are those that a person reads, or nothing is read.
func TestPhrases(t *testing.T) {
	file, err := os.ReadFile("testdata/phrases.tsv")
	if err != nil {
		t.Fatal(err)
	}
	clear, read := 0, 0
	for line := range strings.Lines(string(file)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 3 {
			continue
		}
		got, ok := words(t, dates.Calendar{}, cells[0])
		want := dates.Period{Words: got.Words, From: strings.Trim(cells[1], "-"), Before: strings.Trim(cells[2], "-")}
		if ok && got != want {
			t.Errorf("%q is read as %q from %s before %s, a person reads %s %s", cells[0], got.Words, got.From, got.Before, cells[1], cells[2])
		}
		if cells[1] == "?" {
			continue
		}
		clear++
		if ok {
			read++
		} else if testing.Verbose() {
			t.Logf("not read: %q", cells[0])
		}
	}
	t.Logf("%d of %d clear phrases are read", read, clear)
	if read*100 < clear*97 {
		t.Errorf("only %d of %d clear phrases are read", read, clear)
	}
}

func words(t *testing.T, c dates.Calendar, text string) (dates.Period, bool) {
	t.Helper()
	if c.Zone == "" {
		c.Zone = "Europe/Berlin"
	}
	facts, err := dates.New(time.Date(2026, 3, 31, 10, 0, 0, 0, time.UTC), c, text)
	if err != nil {
		t.Fatal(err)
	}
	return facts.Words()
}

// None of the phrases of users that are kept next to the project is read as another time.
func TestCases(t *testing.T) {
	file, err := os.Open("../../shared/cases/sql.jsonl")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("there are no cases next to the project")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all, read := 0, 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var one struct {
			ID     string `json:"id"`
			Text   string `json:"sql_or_question"`
			Expect string `json:"expect"`
		}
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(one.ID, "dates-") {
			continue
		}
		question, _, _ := strings.Cut(one.Text, " | ")
		got, ok := words(t, dates.Calendar{}, question)
		all++
		if !ok {
			continue
		}
		read++
		if from, before, ok := strings.Cut(one.Expect, ".."); ok && (got.From != from || got.Before != before) {
			t.Errorf("%q is from %s before %s, want %s", question, got.From, got.Before, one.Expect)
		}
		t.Logf("%q: %q from %s before %s", question, got.Words, got.From, got.Before)
	}
	t.Logf("%d of %d are read", read, all)
}
