package fieldservice

import (
	"database/sql/driver"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"time"
)

// seed determines all data. Changing it changes every row.
const seed = 20260331

// dice is a source of random values. Each part of the data has its own, so that a change
// to one part does not change the others.
type dice struct{ *rand.Rand }

func newDice(chapter uint64) dice { return dice{rand.New(rand.NewPCG(seed, chapter))} }

// between returns a number from low to high, both included.
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

// chance returns true with a probability in percent.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

// sealed returns random text in place of an encrypted value.
func (d dice) sealed() string {
	var raw [24]byte
	for i := range raw {
		raw[i] = byte(d.Uint32())
	}
	return hex.EncodeToString(raw[:])
}

func pick[T any](d dice, from []T) T { return from[d.IntN(len(from))] }

// day is a date as a number of days after [Today]. It is stored as YYYY-MM-DD.
type day int

// never is the date of an event that has not happened. It is stored as NULL.
const never day = math.MinInt

var todayUTC = time.Date(2026, time.March, 31, 0, 0, 0, 0, time.UTC)

func (d day) time() time.Time { return todayUTC.AddDate(0, 0, int(d)) }

// at returns a time of the day, in the format of SQLite's date functions.
func (d day) at(hour, minute int) string {
	return d.time().Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute).Format(time.DateTime)
}

// workday returns d, or the next Monday for a day of a weekend.
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

// hundredths is a decimal number with two digits after the point, for money, hours and
// quantities. Integers give the same result on every platform.
type hundredths int64

func (h hundredths) Value() (driver.Value, error) { return float64(h) / 100, nil }

// times returns the product, rounded half up.
func (h hundredths) times(other hundredths) hundredths { return (h*other + 50) / 100 }
