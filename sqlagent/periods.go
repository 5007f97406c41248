package sqlagent

import (
	"context"
	"fmt"
	"strings"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
)

// ErrDatesDiffer is the code of the problem of a statement that reads other times
// than the periods that the model gives for it, or than the words of the question.
const ErrDatesDiffer refusal.Code = "dates_differ"

// readTimes compares the times that a statement reads with the periods that the
// model gave for it, and with the words of the question. timeless reports that the
// question names a time, and the statement looks at none.
func (a *agent) readTimes(
	ctx context.Context, s *state, stmt *secureview.Statement,
) (readings []dates.Reading, timeless bool, err error) {
	facts, err := a.dates(ctx, s.Question)
	if err != nil {
		return nil, false, err
	}
	times := a.timesOf(stmt)
	readings = facts.Compare(s.Periods, times.Bounds, times.Complete)
	return readings, !times.Looks && (len(s.Periods) > 0 || facts.NamesTime()), nil
}

// timesOf returns the times that a statement reads.
func (r *reader) timesOf(stmt *secureview.Statement) dates.Times {
	return stmt.Times(func(table dialect.TableName, column string) string { return r.catalog.typeOf(r.nameOf(table), column) })
}

// checkTimes returns the problem of a statement that reads other times than it
// should.
func (a *agent) checkTimes(ctx context.Context, s *state, stmt *secureview.Statement) ([]refusal.Problem, error) {
	readings, _, err := a.readTimes(ctx, s, stmt)
	if err != nil {
		return nil, err
	}
	var differ []string
	for _, r := range readings {
		if r.Verdict == dates.Contradicted {
			differ = append(differ, fmt.Sprintf("%s is %s, and the query reads %s",
				prompt.Quote(r.Words), r.Days(), strings.Join(r.Found, " and ")))
		}
	}
	if len(differ) == 0 {
		return nil, nil
	}
	return []refusal.Problem{{Code: ErrDatesDiffer, Message: strings.Join(differ, "; ") +
		". The query has to read times from the first day, including it, to the day after the last one, excluding it. " +
		"Give the same two days in periods"}}, nil
}

// noteTimes says in the answer what times the statement reads.
func (a *agent) noteTimes(ctx context.Context, s *state) {
	texts := a.texts(ctx)
	if s.Timeless {
		s.say(ctx, texts.NoTime)
		return
	}
	switch note := answertext.Dates(s.Dates, texts.DatesUsed, texts.DatesDiffer, texts.DatesUnchecked); {
	case note.Differs:
		s.say(ctx, note.Text)
	case note.Text != "":
		s.add(ctx, note.Text)
	}
}
