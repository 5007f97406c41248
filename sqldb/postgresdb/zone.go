package postgresdb

import (
	"context"
	"database/sql"
	"regexp"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/timezone"
)

// Zone returns the setting TimeZone of a connection, which follows from the
// connection string, the account, the database and the server.
func (*engine) Zone(ctx context.Context, conn *sql.Conn) (string, error) {
	var setting string
	err := conn.QueryRowContext(ctx, "SELECT pg_catalog.current_setting('TimeZone')").Scan(&setting)
	return zoneName(setting), err
}

// zoneSetting returns a zone as a value of the setting TimeZone, in which an offset
// counts to the west.
func zoneSetting(name string) string {
	seconds, ok := timezone.Offset(name)
	if !ok {
		return name
	}
	return "<" + timezone.Name(seconds) + ">" + timezone.Name(-seconds)
}

// offsetSetting matches the setting TimeZone for an offset, such as <+0530>-05:30
// after SET TIME ZONE 5.5.
var offsetSetting = regexp.MustCompile(`^<[^<>]*>([+-]?)(\d{1,2})(?::([0-5]\d))?(?::00)?$`)

// zoneName is the inverse of zoneSetting. It returns "" for a zone that has no name.
func zoneName(setting string) string {
	if m := offsetSetting.FindStringSubmatch(setting); m != nil {
		hours, _ := strconv.Atoi(m[2])
		minutes, _ := strconv.Atoi(m[3])
		seconds := hours*3600 + minutes*60
		if m[1] != "-" {
			seconds = -seconds
		}
		setting = timezone.Name(seconds)
	}
	if _, err := timezone.Load(setting); err != nil || strings.TrimSpace(setting) == "" {
		return ""
	}
	return setting
}
