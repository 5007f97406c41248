package mysqldb

import (
	"context"
	"database/sql"

	"github.com/qedkit/qed/internal/timezone"
)

// Zone returns the time_zone of a connection.
func (e *engine) Zone(ctx context.Context, conn *sql.Conn) (string, error) {
	s, err := e.connections.server(ctx, conn)
	if err != nil {
		return "", err
	}
	return s.zoneName(), nil
}

// zoneName returns the zone of the connection as [sqldb.Options.Zone] names it. The
// letters of a system's zone, such as CET or EST, do not say whether it has daylight
// saving time: only UTC is certain.
func (s *server) zoneName() string {
	name := s.zone
	if name == "SYSTEM" {
		name = s.systemZone
		if name != "UTC" {
			return ""
		}
	}
	if _, err := timezone.Load(name); err != nil || name == "" {
		return ""
	}
	return name
}

func (s *server) inZone(name string) settings {
	var set settings
	if name == s.zoneName() {
		return set
	}
	if name == "UTC" || name == "Etc/UTC" {
		name = "+00:00" // which a server without tables of time zones knows
	}
	set.want(map[string]string{"time_zone": s.zone}, "time_zone", name)
	return set
}
