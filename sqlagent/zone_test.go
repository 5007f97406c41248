package sqlagent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/sqlagent"
)

// zoned is a database with a time zone.
type zoned struct {
	sqlagent.Database
	zone string
	err  error
}

func (z zoned) Zone(context.Context) (string, error) { return z.zone, z.err }

// The calendar of the prompts is that of the database's zone, if it has one.
func TestZone(t *testing.T) {
	errDown := errors.New("down")
	for _, test := range []struct {
		name, zone, want string
		err              error
	}{
		{"later", "Asia/Tokyo", "Today is Tuesday, 2026-11-24. Days and times are in the time zone Asia/Tokyo.", nil},
		{"an offset", "-11:00", "Today is Monday, 2026-11-23. Days and times are in the time zone -11:00.", nil},
		{"none", "", "Today is Monday, 2026-11-23. Days and times are in the time zone Europe/Berlin.", nil},
		{"unknown", "", "", errDown},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := llmtest.New(reply("select_tables", tables("crew")), reply("generate", query("SELECT id FROM crew")), reply("answer", text("Thirty.")))
			a := newAgent(t, m, zoned{manyCrews(), test.zone, test.err}, nil)
			ctx := qed.WithClock(t.Context(), func() time.Time { return time.Date(2026, 11, 23, 18, 0, 0, 0, time.UTC) })
			_, err := qed.Ask(ctx, a, qed.Turn{Text: "Which crews are there?", Calendar: &dates.Calendar{Zone: "Europe/Berlin"}})
			if !errors.Is(err, test.err) {
				t.Fatal(err)
			}
			if test.err != nil {
				return
			}
			for _, r := range m.Requests()[1:] {
				if prompt := r.Messages[len(r.Messages)-1].Content; !strings.Contains(prompt, test.want) {
					t.Errorf("the prompt of %s lacks %s:\n%s", r.Name, test.want, prompt)
				}
			}
		})
	}
}
