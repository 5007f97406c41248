package integration_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/sqldb"
)

// A certificate is that of a server, signed by an authority of its own.
type certificate struct {
	authority *x509.CertPool
	cert, key string // files
}

// newCertificate makes a certificate for a host, or an address.
func newCertificate(t *testing.T, host string, until time.Time) certificate {
	t.Helper()
	sign := func(template, parent *x509.Certificate, key, signer *ecdsa.PrivateKey) []byte {
		der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	newKey := func() *ecdsa.PrivateKey {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	template := func(name string) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
			NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: until,
		}
	}
	ca := template("an authority")
	ca.IsCA, ca.BasicConstraintsValid, ca.KeyUsage = true, true, x509.KeyUsageCertSign
	ca.NotAfter = time.Now().Add(time.Hour)
	leaf := template(host)
	leaf.SerialNumber = big.NewInt(2)
	if ip := net.ParseIP(host); ip != nil {
		leaf.IPAddresses = []net.IP{ip}
	} else {
		leaf.DNSNames = []string{host}
	}
	caKey, key := newKey(), newKey()
	caDER := sign(ca, ca, caKey, caKey)
	leafDER := sign(leaf, ca, key, caKey)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(caDER)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "qed-certificate-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { // a server may run as another user
		t.Fatal(err)
	}
	c := certificate{authority: x509.NewCertPool(), cert: filepath.Join(dir, "cert"), key: filepath.Join(dir, "key")}
	c.authority.AddCert(parsed)
	for file, block := range map[string]*pem.Block{
		c.cert: {Type: "CERTIFICATE", Bytes: leafDER}, c.key: {Type: "PRIVATE KEY", Bytes: keyDER},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// A connecting test is a reason why a connection fails.
type connectingTest[Config any] struct {
	name   string
	change func(Config)
	want   sqldb.Kind // empty: the connection is made
	says   string     // the cause and the remedy
}

func checkConnecting(t *testing.T, err error, want sqldb.Kind, says string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Error(err)
		}
		return
	}
	if !errors.Is(err, want) || !strings.Contains(err.Error(), says) {
		t.Errorf("got %v, want %v: .. %s", err, want, says)
	}
	if err != nil && strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the password is in the text: %v", err)
	}
}

// silent returns an address that accepts connections and never answers.
func silent(t *testing.T) *net.TCPAddr {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().(*net.TCPAddr)
}

func TestPostgresTLS(t *testing.T) {
	server := integration.PostgreSQLOwn(t)
	p := newPostgres(t, server.Config(), "tls", "")
	p.account.Password = "hunter2"
	trusting := func(roots *x509.CertPool, host string) func(*pgx.ConnConfig) {
		return func(c *pgx.ConnConfig) { c.TLSConfig = &tls.Config{RootCAs: roots, ServerName: host} }
	}
	run := func(t *testing.T, tests []connectingTest[*pgx.ConnConfig]) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				config := p.account.Copy()
				tt.change(config)
				config.Fallbacks = nil
				_, err := openPostgresDB(t, nil, openPGX(t, config)).Query(t.Context(), pgUnguarded(t, "SELECT 1", "public"))
				checkConnecting(t, err, tt.want, tt.says)
			})
		}
	}
	address := silent(t)
	run(t, []connectingTest[*pgx.ConnConfig]{
		{"a server without TLS", trusting(nil, "127.0.0.1"), sqldb.ErrUnreadable, "requires TLS, which the server does not support"},
		{"a server that does not answer", func(c *pgx.ConnConfig) {
			c.Port, c.ConnectTimeout = uint16(address.Port), 200*time.Millisecond
		}, sqldb.ErrUnavailable, "did not answer in time"},
	})
	good := newCertificate(t, "127.0.0.1", time.Now().Add(time.Hour))
	old := newCertificate(t, "127.0.0.1", time.Now().Add(-time.Hour))
	use := func(c certificate) {
		for file, content := range map[string]string{"server.crt": c.cert, "server.key": c.key} {
			text, err := os.ReadFile(content)
			if err != nil {
				t.Fatal(err)
			}
			pgExec(t, p.admin, "COPY (SELECT unnest(string_to_array('"+string(text)+"', E'\n'))) TO PROGRAM 'cat > "+file+" && chmod 600 "+file+"'")
		}
	}
	var hba, tls string
	if err := p.admin.QueryRow("SELECT current_setting('hba_file'), current_setting('ssl_library')").Scan(&hba, &tls); err != nil {
		t.Fatal(err)
	}
	if tls == "" {
		t.Skip("the server is built without TLS, which PostgreSQL 15 of Debian has")
	}
	use(good)
	pgExec(t, p.admin, `COPY (VALUES ('host all postgres 127.0.0.1/32 trust'), ('hostssl all all 127.0.0.1/32 trust')) TO '`+hba+`'`)
	pgExec(t, p.admin, "ALTER SYSTEM SET ssl = on")
	pgExec(t, p.admin, "SELECT pg_reload_conf(), pg_sleep(0.5)")
	run(t, []connectingTest[*pgx.ConnConfig]{
		{"nothing wrong", trusting(good.authority, "127.0.0.1"), "", ""},
		{"an unknown authority", trusting(old.authority, "127.0.0.1"), sqldb.ErrUnreadable, "authority"},
		{"another host", trusting(good.authority, "db.example"), sqldb.ErrUnreadable, "for another host"},
		{"no TLS", func(c *pgx.ConnConfig) { c.TLSConfig = nil }, sqldb.ErrUnreadable, "sslmode=verify-full"},
	})
	use(old)
	pgExec(t, p.admin, "SELECT pg_reload_conf(), pg_sleep(0.5)")
	run(t, []connectingTest[*pgx.ConnConfig]{
		{"an old certificate", trusting(old.authority, "127.0.0.1"), sqldb.ErrUnreadable, "has expired"},
	})
}

func TestPostgresPgBouncer(t *testing.T) {
	p := newPostgres(t, pgServer(t), "pooled", "")
	account := p.account.Copy()
	account.Password = "hunter2"
	transactions := integration.PgBouncer(t, account, "pool_mode = transaction")
	statements := integration.PgBouncer(t, account, "pool_mode = statement")
	c := newCertificate(t, "127.0.0.1", time.Now().Add(time.Hour))
	full := integration.PgBouncer(t, account, "max_client_conn = 0")
	lost := account.Copy()
	lost.Port = 1 // where nothing listens
	orphan := integration.PgBouncer(t, lost, "query_wait_timeout = 1")
	strict := integration.PgBouncer(t, account, "client_tls_sslmode = require", "client_tls_cert_file = "+c.cert, "client_tls_key_file = "+c.key)
	for _, tt := range []struct {
		connectingTest[*pgx.ConnConfig]
		pooler *pgx.ConnConfig
	}{
		{connectingTest[*pgx.ConnConfig]{"nothing wrong", func(*pgx.ConnConfig) {}, "", ""}, transactions},
		{connectingTest[*pgx.ConnConfig]{"a parameter", func(c *pgx.ConnConfig) {
			c.RuntimeParams = map[string]string{"statement_timeout": "500"}
		}, sqldb.ErrArgument, "ignore_startup_parameters"}, transactions},
		{connectingTest[*pgx.ConnConfig]{"options", func(c *pgx.ConnConfig) {
			c.RuntimeParams = map[string]string{"options": "-c search_path=hunter2"}
		}, sqldb.ErrArgument, "ignore_startup_parameters"}, transactions},
		{connectingTest[*pgx.ConnConfig]{"statement pooling", func(*pgx.ConnConfig) {}, sqldb.ErrArgument, "pool_mode"}, statements},
		{connectingTest[*pgx.ConnConfig]{"an unknown database", func(c *pgx.ConnConfig) { c.Database = "hunter2" }, sqldb.ErrMissing, "no such database"}, transactions},
		{connectingTest[*pgx.ConnConfig]{"no TLS", func(*pgx.ConnConfig) {}, sqldb.ErrUnreadable, "requires TLS"}, strict},
		{connectingTest[*pgx.ConnConfig]{"too many clients", func(*pgx.ConnConfig) {}, sqldb.ErrUnavailable, "max_client_conn"}, full},
		{connectingTest[*pgx.ConnConfig]{"no server behind it", func(*pgx.ConnConfig) {}, sqldb.ErrUnavailable, "that the server runs"}, orphan},
	} {
		t.Run(tt.name, func(t *testing.T) {
			config := tt.pooler.Copy()
			pgSetMode(t, config, "exec")
			tt.change(config)
			_, err := openPostgresDB(t, nil, openPGX(t, config)).Query(t.Context(), pgUnguarded(t, "SELECT 1", "public"))
			checkConnecting(t, err, tt.want, tt.says)
		})
	}
}

func TestMySQLDBTLS(t *testing.T) {
	t.Parallel()
	for _, engine := range []struct {
		name  string
		start func(testing.TB, ...string) *integration.MariaDBServer
	}{{"MariaDB", integration.MariaDBOwn}, {"MySQL", integration.MySQLOwn}} {
		t.Run(engine.name, func(t *testing.T) {
			run := func(t *testing.T, server *integration.MariaDBServer, tests []connectingTest[*driver.Config]) {
				for _, tt := range tests {
					t.Run(tt.name, func(t *testing.T) {
						config := server.Config()
						config.Logger, config.DBName = &driver.NopLogger{}, "test"
						tt.change(config)
						opt := &sqldb.Options{}
						if tt.want == sqldb.ErrTimeout {
							opt.Timeout = 200 * time.Millisecond
						}
						err := openMySQLDB(t, opt, openMaria(t, config)).Check(t.Context(), nil)
						if errors.Is(err, sqldb.ErrAccount) || errors.Is(err, sqldb.ErrEmpty) {
							err = nil // connected
						}
						checkConnecting(t, err, tt.want, tt.says)
					})
				}
			}
			trusting := func(roots *x509.CertPool, host string) func(*driver.Config) {
				return func(c *driver.Config) { c.TLS = &tls.Config{RootCAs: roots, ServerName: host} }
			}
			good := newCertificate(t, "127.0.0.1", time.Now().Add(time.Hour))
			old := newCertificate(t, "127.0.0.1", time.Now().Add(-time.Hour))
			address := silent(t)
			run(t, engine.start(t, "--ssl-cert="+good.cert, "--ssl-key="+good.key), []connectingTest[*driver.Config]{
				{"nothing wrong", trusting(good.authority, "127.0.0.1"), sqldb.ErrMissing, ""},
				{"an unknown authority", trusting(old.authority, "127.0.0.1"), sqldb.ErrUnreadable, "authority"},
				{"another host", trusting(good.authority, "db.example"), sqldb.ErrUnreadable, "for another host"},
				{"the password", func(c *driver.Config) { c.Passwd = "hunter2" }, sqldb.ErrUnreadable, "check user and password"},
				{"the database", func(c *driver.Config) { c.DBName = "hunter2" }, sqldb.ErrMissing, "check its name"},
				{"a server that does not answer", func(c *driver.Config) { c.Addr = address.String() },
					sqldb.ErrTimeout, "before there was a connection"},
			})
			strict := engine.start(t, "--ssl-cert="+old.cert, "--ssl-key="+old.key)
			admin := openMaria(t, strict.Config())
			if _, err := admin.Exec("SET GLOBAL require_secure_transport = ON"); err != nil {
				t.Fatal(err)
			}
			run(t, strict, []connectingTest[*driver.Config]{
				{"an old certificate", trusting(old.authority, "127.0.0.1"), sqldb.ErrUnreadable, "has expired"},
				{"no TLS", func(*driver.Config) {}, sqldb.ErrUnreadable, "add tls=true"},
			})
		})
	}
}
