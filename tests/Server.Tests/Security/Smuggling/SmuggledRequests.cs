using Jackdaw.Server.Security;

namespace Jackdaw.Server.Tests.Security.Smuggling;

/// <summary>Each place in which a request can name a database. The client's own is "db"; the other one is "secret".</summary>
internal static partial class SmuggledRequests
{
    /// <summary>The rows that are written by hand.</summary>
    public static IEnumerable<SmuggledRequest> ByHand() =>
        [.. Paths(), .. Queries(), .. Headers(), .. Parts(), .. Commands(), .. Rql(), .. Scripts(), .. Bodies(), .. Numbers()];

    /// <summary>Casing, escapes, dots and slashes of the path.</summary>
    private static IEnumerable<SmuggledRequest> Paths()
    {
        string[] refused =
        [
            "/databases/secret/docs?id=hidden/1",
            "/databases/SECRET/docs?id=hidden/1",
            "/DataBases/Secret/DOCS?id=hidden/1",
            "/databases/s%65cret/docs?id=hidden/1",
            "/databases/%73%65%63%72%65%74/docs?id=hidden/1",
            "/databases/s%2565cret/docs?id=hidden/1",
            "/%64atabases/secret/docs?id=hidden/1",
            "/databases/secret/docs/?id=hidden/1",
            "/databases/secret/docs//?id=hidden/1",
            "/databases/db/../secret/docs?id=hidden/1",
            "/databases/db/%2e%2e/secret/docs?id=hidden/1",
            "/databases/db/%2E./secret/docs?id=hidden/1",
            "/databases/db/x/../../secret/docs?id=hidden/1",
            "/databases/db%2F..%2Fsecret/docs?id=hidden/1",
            "/databases/db%2f..%2fsecret/docs?id=hidden/1",
            "/databases/db%5C..%5Csecret/docs?id=hidden/1",
            "/databases/db\\..\\secret/docs?id=hidden/1",
            "/databases/db%252F..%252Fsecret/docs?id=hidden/1",
            "/./databases/secret/docs?id=hidden/1",
            "/databases/./secret/docs?id=hidden/1",
            "/x/../databases/secret/docs?id=hidden/1",
            "/databases/secret./docs?id=hidden/1",
            "/databases/secret../docs?id=hidden/1",
            "/databases/secret%20/docs?id=hidden/1",
            "/databases/%20secret/docs?id=hidden/1",
            "/databases/secret%09/docs?id=hidden/1",
            "/databases/secret;db/docs?id=hidden/1",
            "/databases/db;secret/docs?id=hidden/1",
            "/databases/db,secret/docs?id=hidden/1",
            "/databases/secret%3Fdb/docs?id=hidden/1",
            "/databases/secret%23/docs?id=hidden/1",
            "/databases/secret:443/docs?id=hidden/1",
            "/databases/db@secret/docs?id=hidden/1",
            "/databases/secret$/docs?id=hidden/1",
            "/databases/secret%E2%80%8B/docs?id=hidden/1",
            "/databases/%C5%BFecret/docs?id=hidden/1",
            "/databases/%EF%BD%93ecret/docs?id=hidden/1",
            "/databases/secret%EF%BC%8Fdocs/docs?id=hidden/1",
            "/databases/*/docs?id=hidden/1",
            "/databases/%25/docs?id=hidden/1",
            "https://host.example/databases/secret/docs?id=hidden/1",
            "https://host.example/databases/db/../secret/docs?id=hidden/1",
        ];
        foreach (var target in refused)
            yield return Refused("path", $"GET {target}");
        foreach (var method in new[] { "HEAD", "get", "POST", "PUT", "DELETE", "PATCH" })
            yield return Refused("path", $"{method} /databases/SECRET/docs?id=hidden/1");
        foreach (var method in new[] { "OPTIONS", "TRACE", "MOVE", "RESET" })
            yield return Answered(405, "path", $"{method} /databases/secret/docs?id=hidden/1");
        string[] unknown =
        [
            "//databases/secret/docs?id=hidden/1",
            "/databases//secret/docs?id=hidden/1",
            "/databases/secret//docs?id=hidden/1",
            "/databases/secret",
            "/databases/secret/",
            "/databases/secret/nothing",
            "/databases/db/secret/docs?id=hidden/1",
            "/databases/db/databases/secret/docs?id=hidden/1",
            "/databases/secret/databases/db/docs?id=hidden/1",
            "/databases/db;/secret/docs?id=hidden/1",
            "/databases/db/..%2fsecret/docs?id=hidden/1",
            "/databases/db/docs%2F..%2F..%2Fsecret%2Fdocs?id=hidden/1",
            "/databases/db/docs/../../../secret/docs?id=hidden/1",
            "/secret/docs?id=hidden/1",
            "/databases%2Fsecret%2Fdocs?id=hidden/1",
            "/databases/db/docs;database=secret?id=hidden/1",
            "/databases/db/admin/../../secret?id=hidden/1",
        ];
        foreach (var target in unknown)
            yield return Answered(404, "path", $"GET {target}");
        yield return Answered(400, "path", "GET /databases/secret%00/docs?id=hidden/1");
        yield return Answered(400, "path", "GET http://secret/databases/secret/docs?id=hidden/1");
        yield return Own("path", "GET /databases/db/../db/docs?id=own/1&x=secret");
        yield return Own("path", "GET /databases/db/docs?id=own/1#/databases/secret/docs");
    }

    /// <summary>Parameters of the query.</summary>
    private static IEnumerable<SmuggledRequest> Queries()
    {
        foreach (
            var parameter in new[]
            {
                "database=secret",
                "Database=secret",
                "databaseName=secret",
                "DatabaseNames=secret",
                "db=secret",
                "name=secret",
                "source=secret",
                "sourceDatabase=secret",
                "url=https://localhost/databases/secret",
                "path=/databases/secret/docs",
                "collection=secret",
                "nodeTag=secret",
                "database=db&database=secret",
                "database=secret;id=hidden/1",
                "%64atabase=secret",
            }
        )
        {
            yield return Own("query", $"GET /databases/db/docs?{parameter}&id=own/1");
            yield return Own("query", $"GET /databases/db/stats?{parameter}");
        }
        yield return Refused("query", "GET /topology?name=secret");
        yield return Refused("query", "GET /topology?NAME=SECRET");
        yield return Refused("query", "GET /topology?name=s%65cret");
        yield return Refused("query", "GET /topology?name=secret&name=db");
        yield return Refused("query", "GET /topology?name=db%2F..%2Fsecret");
        yield return Refused("query", "GET /topology?name=secret%20");
        yield return Refused("query", "GET /topology?name=secret.");
        yield return Answered(200, "query", "GET /topology?name=db&name=secret");
        yield return Refused("query", "GET /admin/databases?name=secret", DatabaseRight.Admin);
        yield return Refused("query", "GET /admin/databases?name=SECRET", DatabaseRight.Admin);
        yield return Refused("query", "GET /admin/databases?name=secret&name=db", DatabaseRight.Admin);
        yield return Answered(200, "query", "GET /admin/databases?name=db&name=secret", DatabaseRight.Admin);
        yield return Refused("query", "PUT /admin/databases?name=secret", body: """{"DatabaseName":"secret"}""");
        yield return Refused("query", "PUT /admin/databases?name=db", body: """{"DatabaseName":"secret"}""");
        yield return Answered(200, "query", "GET /databases?name=secret");
        yield return Answered(200, "query", "GET /databases?namesOnly=true&start=0&pageSize=100&database=secret");
        yield return Answered(200, "query", "GET /databases?start=1");
        yield return Answered(200, "query", "GET /alerts?database=secret");
        yield return Answered(200, "query", "GET /health/ready?database=secret");
        yield return Answered(200, "query", "GET /certificates/whoami?name=secret");
        yield return Answered(200, "query", "GET /cluster/topology?database=secret");
        yield return Answered(200, "query", "GET /cluster/node-info?database=secret");
        yield return Answered(200, "query", "GET /info/tcp?database=secret");
        yield return Refused("query", "GET /metrics?database=db&x=secret");
        yield return Refused("query", "GET /admin/debug/memory?x=secret");
        yield return Refused("query", "GET /operations/state?id=77&database=secret");
        yield return Refused("query", "POST /databases/db/admin/copy?to=/tmp/secret");
        yield return Refused("query", "POST /databases/db/admin/copy?to=../secret&database=db");
    }

    /// <summary>Headers, those of proxies too.</summary>
    private static IEnumerable<SmuggledRequest> Headers()
    {
        foreach (
            var header in new[]
            {
                "Database: secret",
                "Database-Name: secret",
                "Database-Id: secret",
                "X-Database: secret",
                "Raven-Database: secret",
                "Raven-Server-Database: secret",
                "X-Original-URL: /databases/secret/docs?id=hidden/1",
                "X-Rewrite-URL: /databases/secret/docs?id=hidden/1",
                "X-Original-URI: /databases/secret/docs?id=hidden/1",
                "X-Forwarded-Uri: /databases/secret/docs?id=hidden/1",
                "X-Forwarded-Prefix: /databases/secret",
                "X-Forwarded-Path: /databases/secret/docs",
                "X-Forwarded-Host: secret",
                "X-Forwarded-For: 127.0.0.1, secret",
                "X-Forwarded-Proto: http",
                "X-Real-IP: 127.0.0.1",
                "Forwarded: for=127.0.0.1;host=secret;proto=http",
                "X-Envoy-Original-Path: /databases/secret/docs",
                "X-HTTP-Method-Override: DELETE",
                "X-HTTP-Method: DELETE",
                "X-Forwarded-Client-Cert: Subject=\"CN=operator\";secret",
                "X-ARR-ClientCert: secret",
                "X-SSL-Client-Cert: secret",
                "X-SSL-Client-Verify: SUCCESS",
                "Authorization: Basic c2VjcmV0OnNlY3JldA==",
                "Cookie: database=secret",
                "Content-Location: /databases/secret/docs",
                "Location: /databases/secret/docs",
                "Referer: https://host.example/databases/secret/docs",
                "Destination: /databases/secret/docs",
                "Host: secret",
                "Host: secret.host.example:443",
            }
        )
        {
            yield return Own("header", "GET /databases/db/docs?id=own/1", headers: header + "\r\n");
            yield return Refused("header", "GET /databases/secret/docs?id=hidden/1", headers: header + "\r\n");
        }
        yield return Refused("header", "GET /databases/secret/changes", headers: "Upgrade: websocket\r\nConnection: Upgrade\r\n");
        yield return Answered(403, "header", "GET /databases/db/docs?id=own/1", headers: "Origin: https://secret\r\n");
        // What looks like a second request in a header or a body is none.
        yield return Own("header", "GET /databases/db/docs?id=own/1", headers: "X: GET /databases/secret/docs HTTP/1.1\r\n");
        yield return Own(
            "body",
            "GET /databases/db/docs?id=own/1",
            body: "GET /databases/secret/docs?id=hidden/1 HTTP/1.1\r\nHost: a\r\n\r\n"
        );
    }

    private static SmuggledRequest Refused(
        string place,
        string line,
        DatabaseRight needs = DatabaseRight.Read,
        string body = "",
        string headers = ""
    ) => Row(SmuggledOutcome.Refused, place, line, needs, body, headers);

    private static SmuggledRequest Own(
        string place,
        string line,
        DatabaseRight needs = DatabaseRight.Read,
        string body = "",
        string headers = ""
    ) => Row(SmuggledOutcome.AsOwn, place, line, needs, body, headers);

    private static SmuggledRequest Answered(
        int status,
        string place,
        string line,
        DatabaseRight needs = DatabaseRight.Read,
        string body = "",
        string headers = ""
    ) => Row(SmuggledOutcome.Status, place, line, needs, body, headers) with { Status = status };

    private static SmuggledRequest Row(
        SmuggledOutcome outcome,
        string place,
        string line,
        DatabaseRight needs,
        string body,
        string headers
    ) =>
        new(place, line, outcome)
        {
            Needs = needs,
            Body = body,
            Headers = headers,
        };

    private static SmuggledRequest Harmless(string place, string line, DatabaseRight needs = DatabaseRight.Read, string body = "") =>
        new(place, line, SmuggledOutcome.Anything) { Needs = needs, Body = body };
}
