package integration

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// PostgreSQL starts the shared PostgreSQL server, unless it runs already, and
// returns how its administrator connects. Each test creates its own databases
// and roles. The server checks no passwords.
func PostgreSQL(tb testing.TB) *pgx.ConnConfig {
	tb.Helper()
	bin := postgreSQLBin(tb)
	postgreSQLOnce.Do(func() {
		// On tables as small as those of the tests, compiling a statement takes seconds and
		// executing it milliseconds. Tests of limits have servers of their own, which compile.
		if postgreSQLShared, postgreSQLErr = startPostgreSQL(bin, "jit=off"); postgreSQLErr == nil {
			running.add(postgreSQLShared.remove)
		}
	})
	if postgreSQLErr != nil {
		tb.Fatalf("postgresql: %v", postgreSQLErr)
	}
	return postgreSQLShared.Config()
}

var (
	postgreSQLOnce   sync.Once
	postgreSQLShared *PostgreSQLServer
	postgreSQLErr    error
)

// PostgreSQLOwn starts a PostgreSQL server for one test, which may kill it and
// start it again. The settings, such as "fsync=on", replace those of the shared
// server.
func PostgreSQLOwn(tb testing.TB, settings ...string) *PostgreSQLServer {
	tb.Helper()
	s, err := startPostgreSQL(postgreSQLBin(tb), settings...)
	if err != nil {
		tb.Fatalf("postgresql: %v", err)
	}
	tb.Cleanup(s.remove)
	return s
}

// A PostgreSQLServer is a server with its own port and directory.
type PostgreSQLServer struct {
	dir, program string
	settings     []string
	config       *pgx.ConnConfig
	process      *process
}

// Config returns how the administrator connects.
func (s *PostgreSQLServer) Config() *pgx.ConnConfig { return s.config.Copy() }

// Kill ends the server at once.
func (s *PostgreSQLServer) Kill() {
	s.process.cmd.Process.Signal(syscall.SIGQUIT) // it ends its children before itself
	<-s.process.done
}

// Pause stops all processes of the server without ending them, or continues them.
func (s *PostgreSQLServer) Pause(paused bool) error {
	signal := syscall.SIGCONT
	if paused {
		signal = syscall.SIGSTOP
	}
	pid := s.process.cmd.Process.Pid
	// The parent first, so that it starts no further ones.
	if err := syscall.Kill(pid, signal); err != nil {
		return err
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return err
	}
	for _, child := range strings.Fields(string(children)) {
		id, err := strconv.Atoi(child)
		if err != nil {
			return err
		}
		if err := syscall.Kill(id, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

// Start starts the server again, on the same port and with the same data.
func (s *PostgreSQLServer) Start() error {
	args := []string{"-D", filepath.Join(s.dir, "data"), "-p", strconv.Itoa(int(s.config.Port)), "-k", s.dir}
	for _, setting := range slices.Concat([]string{
		"listen_addresses=127.0.0.1",
		"shared_buffers=32MB",
		"max_connections=200",
		"fsync=off",
		"full_page_writes=off",
	}, s.settings) {
		args = append(args, "-c", setting)
	}
	command, err := asServerUser("QUIT", s.program, args...)
	if err != nil {
		return err
	}
	p, err := start(filepath.Join(s.dir, "log"), command[0], command[1:]...)
	if err != nil {
		return err
	}
	s.process = p
	return p.wait(func() error {
		conn, err := pgx.ConnectConfig(context.Background(), s.Config())
		if err != nil {
			return err
		}
		return conn.Close(context.Background())
	})
}

func (s *PostgreSQLServer) remove() {
	if s.process != nil {
		s.process.stop()
	}
	os.RemoveAll(s.dir)
}

func startPostgreSQL(bin string, settings ...string) (s *PostgreSQLServer, err error) {
	dir, err := os.MkdirTemp("", "qed-postgresql-")
	if err != nil {
		return nil, err
	}
	s = &PostgreSQLServer{dir: dir, program: filepath.Join(bin, "postgres"), settings: settings}
	defer func() {
		if err != nil {
			s.remove()
		}
	}()
	if account, err := serverUser(); err != nil {
		return nil, err
	} else if account != nil {
		if err := os.Chown(dir, account.uid, account.gid); err != nil {
			return nil, err
		}
	}
	command, err := asServerUser("QUIT", filepath.Join(bin, "initdb"), "-D", filepath.Join(dir, "data"), "--username=postgres",
		"--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8")
	if err != nil {
		return nil, err
	}
	initdb := exec.Command(command[0], command[1:]...)
	initdb.Dir = dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w; it wrote:\n%s", err, out)
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	if s.config, err = pgx.ParseConfig(fmt.Sprintf("host=127.0.0.1 port=%d user=postgres dbname=postgres sslmode=disable", port)); err != nil {
		return nil, err
	}
	return s, s.Start()
}

// postgreSQLBin returns the directory of the server's programs: the one that
// QED_POSTGRES_BIN names, or else the newest of Debian, or else the one in
// PATH.
func postgreSQLBin(tb testing.TB) string {
	tb.Helper()
	if bin := os.Getenv("QED_POSTGRES_BIN"); bin != "" {
		return bin
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) > 0 && !noEngines() {
		return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return debianVersion(a) - debianVersion(b) }))
	}
	initdb, err := program("initdb")
	if err == nil {
		initdb, err = filepath.EvalSymlinks(initdb)
	}
	if err != nil {
		missing(tb, "postgresql", err, "apt-get install --no-install-recommends postgresql")
	}
	return filepath.Dir(initdb)
}

func debianVersion(path string) int {
	version, _ := strconv.Atoi(strings.Split(path, "/")[4])
	return version
}

// An account is a user of the operating system.
type account struct{ uid, gid int }

// serverUser returns the user that the server runs as, because it refuses to
// run as root. It returns nil if the test does not run as root.
func serverUser() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		return &account{uid: uid, gid: gid}, errors.Join(err1, err2)
	}
	return nil, errors.New("the server refuses to run as root, and there is no user postgres or nobody")
}

// asServerUser returns the command that runs a program as serverUser. Changing
// the user resets the parent death signal, so the command sets it again, to a
// signal that ends the program.
func asServerUser(signal, path string, args ...string) ([]string, error) {
	account, err := serverUser()
	if err != nil || account == nil {
		return append([]string{path}, args...), err
	}
	setpriv, err := program("setpriv")
	if err != nil {
		return nil, err
	}
	return slices.Concat([]string{
		setpriv, fmt.Sprintf("--reuid=%d", account.uid), fmt.Sprintf("--regid=%d", account.gid),
		"--clear-groups", "--pdeathsig=" + signal, path,
	}, args), nil
}

// PGCrypto skips a test if the server of db does not have the extension
// pgcrypto.
func PGCrypto(tb testing.TB, db *sql.DB) {
	tb.Helper()
	var has bool
	if err := db.QueryRow("SELECT count(*) > 0 FROM pg_available_extensions WHERE name = 'pgcrypto'").Scan(&has); err != nil {
		tb.Fatal(err)
	}
	if !has {
		missing(tb, "pgcrypto", errors.New("the PostgreSQL server does not have this extension"), "apt-get install --no-install-recommends postgresql")
	}
}
