package answertext

import (
	"context"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
)

// ZoneOf returns the time zone of a database or source that has a method Zone. It
// returns "" if db has no such method, or no zone.
func ZoneOf(ctx context.Context, db any) (string, error) {
	if z, ok := db.(interface {
		Zone(ctx context.Context) (string, error)
	}); ok {
		return z.Zone(ctx)
	}
	return "", nil
}

// FactsFor is like [qed.Dates] for the queries of a database, in its time zone if it
// has one ([ZoneOf]): the limits of a day are compared there.
func FactsFor(ctx context.Context, db any, text string) (dates.Facts, error) {
	zone, err := ZoneOf(ctx, db)
	if err != nil {
		return dates.Facts{}, err
	}
	if zone == "" {
		return qed.Dates(ctx, text)
	}
	c := qed.Info(ctx).Calendar
	c.Zone = zone
	return dates.New(qed.Now(ctx), c, text)
}
