package fieldservice

import (
	"database/sql/driver"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"time"
)

// seed makes the company what it is. Changing it changes every row.
const seed = 20260331

// dice draws everything random. Each chapter has a stream of its own, so that a change to one leaves the others alone.
type dice struct{ *rand.Rand }

func newDice(chapter uint64) dice { return dice{rand.New(rand.NewPCG(seed, chapter))} }

// between draws from low to high, both included.
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

// chance is true in percent of all draws.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

// sealed stands for an encrypted value: it has no clear text, and whoever reads it learns nothing.
func (d dice) sealed() string {
	var raw [24]byte
	for i := range raw {
		raw[i] = byte(d.Uint32())
	}
	return hex.EncodeToString(raw[:])
}

func pick[T any](d dice, from []T) T { return from[d.IntN(len(from))] }

// day is a date, in days after [Today]. It is stored as YYYY-MM-DD.
type day int

// never is the date of what has not happened, stored as NULL.
const never day = math.MinInt

var todayUTC = time.Date(2026, time.March, 31, 0, 0, 0, 0, time.UTC)

func (d day) time() time.Time { return todayUTC.AddDate(0, 0, int(d)) }

// at is a moment of the day, in the form in which SQLite's date functions read it.
func (d day) at(hour, minute int) string {
	return d.time().Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute).Format(time.DateTime)
}

// workday is d, or the Monday after it where d is at a weekend.
func (d day) workday() day {
	switch d.time().Weekday() {
	case time.Saturday:
		return d + 2
	case time.Sunday:
		return d + 1
	}
	return d
}

func (d day) Value() (driver.Value, error) {
	if d == never {
		return nil, nil
	}
	return d.time().Format(time.DateOnly), nil
}

// hundredths is a decimal number with two digits after the point: money, hours, quantities.
// Whole numbers inside, one division on the way out: the same bits on every platform.
type hundredths int64

func (h hundredths) Value() (driver.Value, error) { return float64(h) / 100, nil }

// times multiplies, rounding half up.
func (h hundredths) times(other hundredths) hundredths { return (h*other + 50) / 100 }
