package answering

import (
	"context"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
)

// A Zoned is a database that has a time zone. The name is empty if it has none.
type Zoned interface {
	Zone(ctx context.Context) (string, error)
}

// FactsFor is like [qed.Dates] for the queries of a database, in its time zone if it
// is [Zoned] and has one: the limits of a day are compared there.
func FactsFor(ctx context.Context, db any, text string) (dates.Facts, error) {
	z, ok := db.(Zoned)
	if !ok {
		return qed.Dates(ctx, text)
	}
	zone, err := z.Zone(ctx)
	if err != nil {
		return dates.Facts{}, err
	}
	c := qed.Info(ctx).Calendar
	if zone != "" {
		c.Zone = zone
	}
	return dates.New(qed.Now(ctx), c, text)
}
