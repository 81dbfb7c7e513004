using System.Text.Json;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Tests.Security.Smuggling;

/// <summary>Requests inside requests, commands and scripts.</summary>
internal static partial class SmuggledRequests
{
    /// <summary>Each part of a multi_get.</summary>
    private static IEnumerable<SmuggledRequest> Parts()
    {
        yield return Part(403, """{"Url":"/databases/secret/docs","Query":"?id=hidden/1"}""");
        yield return Part(403, """{"Url":"/databases/SECRET/docs","Query":"?id=hidden/1"}""");
        yield return Part(403, """{"Url":"/DATABASES/secret/DOCS","Query":"id=hidden/1"}""");
        yield return Part(403, """{"Url":"/databases/s%65cret/docs","Query":"?id=hidden/1"}""");
        yield return Part(403, """{"Url":"/databases/s%2565cret/docs","Query":"?id=hidden/1"}""");
        yield return Part(403, """{"Url":"/databases/\u0073ecret/docs","Query":"?id=hidden/1"}""");
        yield return Part(403, """{"Url":"/databases/secret/docs/","Query":"?id=hidden/1"}""");
        yield return Part(403, """{"Url":"/databases/secret/docs%2F","Query":"?id=hidden/1"}""");
        yield return Part(403, """{"Url":"/databases/secret%2Fdocs","Query":"?id=hidden/1"}""");
        yield return Part(403, """{"Url":"/databases/../docs","Query":"?id=hidden/1"}""");
        yield return Part(404, """{"Url":"/databases/db/../secret/docs","Query":"?id=hidden/1"}""");
        yield return Part(404, """{"Url":"/databases/db%2F..%2Fsecret/docs","Query":"?id=hidden/1"}""");
        yield return Part(404, """{"Url":"/databases/db/docs/../../secret/docs","Query":"?id=hidden/1"}""");
        yield return Part(404, """{"Url":"//databases/secret/docs","Query":"?id=hidden/1"}""");
        yield return Part(404, """{"Url":"/databases//secret/docs","Query":"?id=hidden/1"}""");
        yield return Part(404, """{"Url":"/databases/secret","Query":"?id=hidden/1"}""");
        yield return Part(404, """{"Url":"/databases/secret//docs","Query":"?id=hidden/1"}""");
        yield return Part(404, """{"Url":"/databases/secret/docs?id=hidden/1"}""");
        yield return Part(404, """{"Url":"/databases/db/docs?database=secret&id=own/1"}""");
        yield return Part(403, """{"Url":"/databases/secret/docs","Query":"?id=hidden/1","Headers":{"Database":"db"}}""");
        yield return Part(403, """{"Url":"/databases/db/docs","Url":"/databases/secret/docs","Query":"?id=hidden/1"}""");
        yield return Part(403, """{"Url":"/databases/secret/docs","Method":"POST","Content":{"Ids":["hidden/1"]}}""");
        yield return Part(403, """{"Url":"/databases/secret/docs","Method":"get"}""");
        yield return Part(403, """{"Url":"/databases/secret/queries","Method":"POST","Content":{"Query":"from @all_docs"}}""");
        yield return Part(403, """{"Url":"/databases/secret/queries","Method":"POST","Content":"{\"Query\":\"from @all_docs\"}"}""");
        yield return Part(403, """{"Url":"/databases/secret/streams/queries","Method":"POST","Content":{"Query":"from @all_docs"}}""");
        yield return Part(403, """{"Url":"/databases/secret/streams/docs"}""");
        yield return Part(403, """{"Url":"/databases/secret/bulk_docs","Method":"POST","Content":{"Commands":[]}}""");
        yield return Part(403, """{"Url":"/databases/secret/bulk_insert","Method":"POST","Content":[]}""");
        yield return Part(403, """{"Url":"/databases/secret/events","Method":"POST","Content":{"groups":[]}}""");
        yield return Part(403, """{"Url":"/databases/secret/events","Query":"?stream=hidden-stream"}""");
        yield return Part(403, """{"Url":"/databases/secret/events/all"}""");
        yield return Part(403, """{"Url":"/databases/secret/events/live","Query":"?stream=hidden-stream"}""");
        yield return Part(403, """{"Url":"/databases/secret/snapshots","Query":"?stream=hidden-stream"}""");
        yield return Part(403, """{"Url":"/databases/secret/changes"}""");
        yield return Part(403, """{"Url":"/databases/secret/operations/state","Query":"?id=76"}""");
        yield return Part(403, """{"Url":"/databases/secret/operations/kill","Method":"POST","Query":"?id=76"}""");
        yield return Part(403, """{"Url":"/databases/secret/debug/queries/kill","Method":"POST","Query":"?id=1"}""");
        yield return Part(403, """{"Url":"/databases/secret/identity/next","Method":"POST","Query":"?name=hidden"}""");
        yield return Part(403, """{"Url":"/databases/secret/admin/record"}""");
        yield return Part(403, """{"Url":"/databases/secret/admin/tasks/state","Method":"POST","Query":"?key=1"}""");
        yield return Part(403, """{"Url":"/databases/secret/admin/copy","Method":"POST","Query":"?to=x"}""");
        yield return Part(403, """{"Url":"/topology","Query":"?name=secret"}""");
        yield return Part(403, """{"Url":"/topology","Query":"name=secret"}""");
        yield return Part(403, """{"Url":"/admin/databases","Query":"?name=secret"}""");
        yield return Part(403, """{"Url":"/admin/databases/disable","Method":"POST","Content":{"DatabaseNames":["secret"]}}""");
        yield return Part(403, """{"Url":"/admin/certificates"}""");
        yield return Part(403, """{"Url":"/metrics"}""");
        yield return Part(404, """{"Url":"/databases/secret/multi_get/x","Method":"POST"}""");
        yield return Part(200, """{"Url":"/databases"},{"Url":"/alerts"},{"Url":"/health/ready","Query":"?database=secret"}""");
        yield return Part(200, """{"Url":"/databases/db/docs","Query":"?id=own/1&database=secret"}""");
        yield return Part(200, """{"Url":"/databases/db/docs","Query":"?id=own/1","Database":"secret","DatabaseName":"secret"}""");
        yield return Part(
            200,
            """{"Url":"/databases/db/docs","Query":"?id=own/1","Headers":{"X-Original-URL":"/databases/secret/docs","X-HTTP-Method-Override":"DELETE"}}"""
        );
        yield return Whole("""{"Url":"/databases/secret/multi_get","Method":"POST","Content":{"Requests":[]}}""");
        yield return Whole(
            """{"Url":"/databases/db/multi_get","Method":"POST","Content":{"Requests":[{"Url":"/databases/secret/docs"}]}}"""
        );
        yield return Whole(
            """{"Url":"/databases/db/MULTI_GET/","Method":"POST","Content":{"Requests":[{"Url":"/databases/secret/docs"}]}}"""
        );
        yield return Whole(
            """{"Url":"/databases/db/multi%5Fget","Method":"POST","Content":{"Requests":[{"Url":"/databases/secret/docs"}]}}"""
        );
        yield return Whole("""{"Url":"/databases/secret/docs","Method":"DELETE"}""");
        yield return Whole("""{"Url":"https://localhost/databases/secret/docs"}""");
        yield return Whole("""{"Url":"databases/secret/docs"}""");
        yield return Whole("""{"url":"/databases/secret/docs"}""");
        yield return Whole("""{"Url":["/databases/secret/docs"]}""");

        static SmuggledRequest Part(int status, string parts) =>
            new("multi_get", "POST /databases/db/multi_get", SmuggledOutcome.Parts)
            {
                Status = status,
                Body = $$"""{"Requests":[{{parts}}],"Database":"secret"}""",
            };

        static SmuggledRequest Whole(string part) =>
            Answered(400, "multi_get", "POST /databases/db/multi_get", body: $$"""{"Requests":[{"Url":"/databases/db/stats"},{{part}}]}""");
    }

    /// <summary>Each type of command of a batch, and the lines of a bulk insert.</summary>
    private static IEnumerable<SmuggledRequest> Commands()
    {
        foreach (
            var command in new[]
            {
                """{"Type":"PUT","Id":"/databases/secret/docs/hidden/1","Document":{"a":1}}""",
                """{"Type":"PUT","Id":"secret/hidden/1","Document":{"@metadata":{"@collection":"secret","@database":"secret"}}}""",
                """{"Type":"PUT","Id":"hidden/1","Database":"secret","DatabaseName":"secret","Document":{}}""",
                """{"Type":"PUT","Id":"hidden/2","Url":"/databases/secret/docs","Document":{}}""",
                """{"Type":"PUT","Id":"hidden/3","ChangeVector":"A:1-secret","Document":{}}""",
                """{"Type":"PUT","Id":"hidden/4","ForceRevisionCreationStrategy":"Before","Database":"secret","Document":{}}""",
                """{"Type":"DELETE","Id":"hidden/1","Database":"secret"}""",
                """{"Type":"DELETE","Id":"/databases/secret/docs/hidden/1"}""",
                """{"Type":"DELETE","Id":"hid","IdPrefixed":true,"Database":"secret"}""",
                """{"Type":"PATCH","Id":"hidden/1","Database":"secret","Patch":{"Script":"this.a = 1"}}""",
                """{"Type":"PATCH","Id":"own/1","Patch":{"Script":"this.a = load('/databases/secret/docs/hidden/1')"}}""",
                """{"Type":"PATCH","Id":"x/1","Patch":{"Script":""},"PatchIfMissing":{"Script":"this.a=load('hidden/1')"},"CreateIfMissing":{}}""",
                """{"Type":"BatchPATCH","Ids":[{"Id":"hidden/1","Database":"secret"}],"Patch":{"Script":"this.a = 1"}}""",
                """{"Type":"BatchTrackChanges","TrackedEntities":{"hidden/1":"A:1-secret","secret/hidden/1":null}}""",
                """{"Type":"AttachmentPUT","Id":"hidden/1","Name":"secret","ContentType":"a/b","Database":"secret"}""",
                """{"Type":"AttachmentDELETE","Id":"hidden/1","Name":"secret"}""",
                """{"Type":"AttachmentMOVE","Id":"hidden/1","Name":"a","DestinationId":"secret/1","DestinationName":"b"}""",
                """{"Type":"AttachmentCOPY","Id":"hidden/1","Name":"a","DestinationId":"secret/1","DestinationName":"b"}""",
                """{"Type":"CompareExchangePUT","Id":"secret","Index":0,"Object":{}}""",
                """{"Type":"CompareExchangeDELETE","Id":"secret","Index":0}""",
                """{"Type":"Counters","Id":"hidden/1","Counters":{"DocumentId":"hidden/1","Operations":[]}}""",
                """{"Type":"TimeSeries","Id":"hidden/1","TimeSeries":{"Name":"secret"}}""",
                """{"Type":"TimeSeriesCopy","Id":"hidden/1","From":"secret"}""",
                """{"Type":"ForceRevisionCreation","Id":"hidden/1"}""",
                """{"Type":"JsonPatch","Id":"hidden/1","JsonPatch":{"Operations":[]}}""",
                """{"Type":"secret","Id":"hidden/1"}""",
            }
        )
        {
            yield return Command(command, "");
            yield return Command(command, ""","Database":"secret","DatabaseName":"secret","TransactionMode":"SingleNode" """);
            yield return Harmless(
                "bulk insert",
                "POST /databases/db/bulk_insert?id=77&database=secret",
                DatabaseRight.ReadWrite,
                $"[{command}]"
            );
        }

        static SmuggledRequest Command(string command, string more) =>
            Harmless("bulk_docs", "POST /databases/db/bulk_docs", DatabaseRight.ReadWrite, $$"""{"Commands":[{{command}}]{{more}}}""");
    }

    /// <summary>The text of a query, and what stands beside it.</summary>
    private static IEnumerable<SmuggledRequest> Rql()
    {
        foreach (
            var text in new[]
            {
                "from secret",
                "from 'secret'",
                "from Hidden",
                "from \"/databases/secret/docs\"",
                "from secret.Hidden",
                "from db.secret.Hidden",
                "from @all_docs",
                "from @all_docs where id() = 'hidden/1'",
                "from @all_docs where id() = '/databases/secret/docs/hidden/1'",
                "from @all_docs where startsWith(id(), 'hid')",
                "from @all_docs as d load d.ref as r select r",
                "from @all_docs include 'hidden/1'",
                "from Own as o include o.ref",
                "from Own as o load o.ref as h select h.Text",
                "from Own as o load 'hidden/1' as h select h",
                "from Own as o select { h: load('hidden/1'), s: load('/databases/secret/docs/hidden/1') }",
                "from Own as o select { db: this.database, h: cmpxchg('secret') }",
                "declare function f(o) { return load('hidden/1') } from Own as o select f(o)",
                "from index 'HiddenIndex'",
                "from index 'secret/HiddenIndex'",
                "from index '/databases/secret/indexes/HiddenIndex'",
                "from @events where stream = 'hidden-stream'",
                "from @all_docs where exists(database) and database = 'secret'",
            }
        )
        {
            var body = $$$"""{"Query":{{{JsonSerializer.Serialize(text)}}},"Database":"secret","QueryParameters":{"database":"secret"}}""";
            yield return Harmless("query", "POST /databases/db/queries?database=secret", body: body);
            yield return Harmless("query", "POST /databases/db/streams/queries", body: body);
            yield return Refused("query", "POST /databases/secret/queries", body: body);
        }
        foreach (var script in new[] { "this.h = load('hidden/1')", "put('secret/hidden/2', {})", "del('hidden/1')" })
            yield return Harmless(
                "query operation",
                "PATCH /databases/db/queries?database=secret&operationId=77",
                DatabaseRight.ReadWrite,
                $$$"""{"Query":{"Query":"from Hidden update { {{{script}}} }","Database":"secret"}}"""
            );
        yield return Harmless(
            "query operation",
            "DELETE /databases/db/queries?database=secret",
            DatabaseRight.ReadWrite,
            """{"Query":"from Hidden","Database":"secret"}"""
        );
    }

    /// <summary>Scripts of patches.</summary>
    private static IEnumerable<SmuggledRequest> Scripts()
    {
        foreach (
            var script in new[]
            {
                "this.h = load('hidden/1')",
                "this.h = load('secret/hidden/1')",
                "this.h = load('/databases/secret/docs?id=hidden/1')",
                "this.h = load(['hidden/1'])",
                "this.h = load({ database: 'secret', id: 'hidden/1' })",
                "this.h = loadPath(this, '/databases/secret')",
                "put('hidden/1', { a: 1 }, '', 'secret')",
                "put('/databases/secret/docs/hidden/1', { a: 1 })",
                "del('hidden/1')",
                "del('secret/hidden/1')",
                "this.h = cmpxchg('secret')",
                "this.h = [typeof fetch, typeof require, typeof XMLHttpRequest, typeof database, typeof process]",
                "this.h = Object.getOwnPropertyNames(globalThis).sort()",
                "this.h = (0, eval)('load')('hidden/1')",
                "this.h = id(this) + '/../../secret'",
            }
        )
            yield return Harmless(
                "patch",
                "PATCH /databases/db/docs?id=own/1&test=true&database=secret",
                DatabaseRight.ReadWrite,
                $$$"""{"Patch":{"Script":{{{JsonSerializer.Serialize(script)}}},"Values":{"database":"secret"}},"Database":"secret"}"""
            );
    }
}
