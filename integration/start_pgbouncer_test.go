package integration

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
)

// PgBouncer starts a pooler in front of a PostgreSQL server for one test, with further
// settings such as "pool_mode=statement", and returns how its clients connect. It checks
// no passwords.
func PgBouncer(tb testing.TB, server *pgx.ConnConfig, settings ...string) *pgx.ConnConfig {
	tb.Helper()
	path, err := program("pgbouncer")
	if err != nil {
		missing(tb, "pgbouncer", err, "apt-get install --no-install-recommends pgbouncer")
	}
	dir, err := os.MkdirTemp("", "qed-pgbouncer-")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	port, err := freePort()
	if err != nil {
		tb.Fatal(err)
	}
	file, users := filepath.Join(dir, "pgbouncer.ini"), filepath.Join(dir, "users")
	text := fmt.Sprintf("[databases]\n%[1]s = host=127.0.0.1 port=%[2]d dbname=%[1]s user=%[3]s\n"+
		"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %[4]d\nunix_socket_dir =\nauth_type = trust\nauth_file = %[5]s\n",
		server.Database, server.Port, server.User, port, users)
	for _, setting := range settings {
		text += setting + "\n"
	}
	if err := errors.Join(
		os.WriteFile(file, []byte(text), 0o644),
		os.WriteFile(users, fmt.Appendf(nil, "%q \"\"\n", server.User), 0o644),
	); err != nil {
		tb.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // the pooler refuses to run as root
		tb.Fatal(err)
	}
	command, err := asServerUser("TERM", path, file)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := start(filepath.Join(dir, "log"), command[0], command[1:]...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(p.stop)
	config := server.Copy()
	config.Port = uint16(port)
	if err := p.wait(func() error {
		conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			return err
		}
		return conn.Close()
	}); err != nil {
		tb.Fatalf("pgbouncer: %v", err)
	}
	return config
}
