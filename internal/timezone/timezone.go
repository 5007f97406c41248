// Package timezone reads the names of time zones.
package timezone

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// ErrName is the kind of error of a name that names no zone.
var ErrName = errors.New("use a name of the time zone database, such as Europe/Berlin, or an offset, such as +02:00")

// offset matches an offset from UTC.
var offset = regexp.MustCompile(`^([+-])(\d\d):([0-5]\d)$`)

// maxOffset is the largest offset of a zone, that of Kiritimati.
const maxOffset = 14 * 60 * 60

// Load returns the zone with a name of the time zone database, such as
// "Europe/Berlin", or with an offset from UTC, such as "+02:00". Empty means UTC.
// A name such as "Local", for the zone of the machine, is an error. The error matches
// [ErrName].
func Load(name string) (*time.Location, error) {
	if seconds, ok := Offset(name); ok {
		if name = Name(seconds); name == "+00:00" {
			name = "UTC"
		}
		return time.FixedZone(name, seconds), nil
	}
	if name == "Local" || name == "localtime" || name == "posixrules" {
		return nil, fmt.Errorf("%w, and not the zone of the machine", ErrName)
	}
	found, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrName, err)
	}
	return found, nil
}

// Offset returns the seconds east of UTC of an offset such as "+02:00". ok reports
// whether name is one.
func Offset(name string) (seconds int, ok bool) {
	m := offset.FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	hours, _ := strconv.Atoi(m[2])
	minutes, _ := strconv.Atoi(m[3])
	seconds = hours*3600 + minutes*60
	if seconds > maxOffset {
		return 0, false
	}
	if m[1] == "-" {
		seconds = -seconds
	}
	return seconds, true
}

// Name returns an offset in whole minutes as [Offset] reads it.
func Name(seconds int) string {
	sign := '+'
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	return fmt.Sprintf("%c%02d:%02d", sign, seconds/3600, seconds/60%60)
}
