package todoagent

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// rewritten is the model's reply to reiterate_intention.
type rewritten struct {
	Question string `json:"question" jsonschema_description:"the request, clear in itself"`
}

const maxQuestion = 4000 // bytes of a rewritten request

// rewrite is the node that rewrites a request so that it is clear in itself: it
// names what the request refers to, and has dates instead of relative times.
func (a *agent) rewrite(ctx context.Context, s state) (state, error) {
	if err := a.recall(ctx, &s); err != nil {
		return s, err
	}
	now := qed.Now(ctx).In(a.opt.TimeZone)
	data := RewriteData{
		Message: s.Text,
		Before:  s.Before,
		Now:     now.Format("Monday 2006-01-02 15:04"),
		Zone:    zoneName(now),
		Periods: periods(now),
		Known:   s.Known,
	}
	req, err := a.model.Request("reiterate_intention", a.prompts.Rewrite, data, s.History)
	if err != nil {
		return s, err
	}
	reply, err := asking.Object[rewritten](ctx, a.model, new(llm.Usage), req)
	if err != nil && !asking.Unusable(err) {
		return s, err
	}
	s.Rewritten = prompt.Clip(strings.TrimSpace(reply.Question), maxQuestion)
	if s.Rewritten == "" {
		s.Rewritten = s.Text // the plan can be made from the message as well
	}
	s.Ground = qed.Info(ctx).NewID()
	s.History = nil
	qed.Emit(ctx, qed.QuestionRewritten{Question: s.Rewritten})
	return s, nil
}

// zoneName returns the name of a time's zone, also of the machine's local zone.
func zoneName(t time.Time) string {
	if t.Location() == time.Local {
		return t.Format("MST (UTC-07:00)")
	}
	return t.Location().String()
}

// A Period is a time that people name relative to today, such as "last month".
type Period struct {
	Name string
	From string // the first day, such as 2025-01-08
	To   string // the day after the last
}

// periods returns what relative times mean on the day of now. A week is seven
// days: last week ends with yesterday.
func periods(now time.Time) []Period {
	// In UTC, because a day can lack midnight in other zones.
	day := func(year int, month time.Month, day int) time.Time {
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	y, m, d := now.Date()
	today := day(y, m, d)
	quarter := (m-1)/3*3 + 1
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	list := []Period{}
	for _, p := range []struct {
		name     string
		from, to time.Time
	}{
		{"today", today, today.AddDate(0, 0, 1)},
		{"yesterday", today.AddDate(0, 0, -1), today},
		{"tomorrow", today.AddDate(0, 0, 1), today.AddDate(0, 0, 2)},
		{"last week, the last seven days", today.AddDate(0, 0, -7), today},
		{"the week before last", today.AddDate(0, 0, -14), today.AddDate(0, 0, -7)},
		{"this week, from Monday", monday, monday.AddDate(0, 0, 7)},
		{"next week", monday.AddDate(0, 0, 7), monday.AddDate(0, 0, 14)},
		{"the last 30 days", today.AddDate(0, 0, -30), today},
		{"this month", day(y, m, 1), day(y, m+1, 1)},
		{"last month", day(y, m-1, 1), day(y, m, 1)},
		{"next month", day(y, m+1, 1), day(y, m+2, 1)},
		{"this quarter", day(y, quarter, 1), day(y, quarter+3, 1)},
		{"last quarter", day(y, quarter-3, 1), day(y, quarter, 1)},
		{"this year", day(y, 1, 1), day(y+1, 1, 1)},
		{"last year", day(y-1, 1, 1), day(y, 1, 1)},
	} {
		list = append(list, Period{p.name, p.from.Format(time.DateOnly), p.to.Format(time.DateOnly)})
	}
	return list
}

// String returns p for a prompt.
func (p Period) String() string { return fmt.Sprintf("%s: from %s, before %s", p.Name, p.From, p.To) }
