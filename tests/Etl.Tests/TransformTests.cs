using System.Text.Json;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Transforming;
using Xunit;

namespace Jackdaw.Etl.Tests;

public class TransformTests
{
    [Fact]
    public async Task Every_form_of_loadTo_makes_a_message()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", """{"Total":12.5,"Big":9007199254740993}""");
        Assert.Equal(
            ["Invoices: {\"Total\":12.5,\"Big\":9007199254740993}", "a-b: {\"x\":[1]}", "Invoices: [1,2]"],
            await scene.SendAsync("loadToInvoices(this); loadTo('a-b', { x: [1] }); loadToInvoices([1, 2], { PartitionKey: 'k' });")
        );
        Assert.Equal(["orders/1", "orders/1", "k"], scene.Ledger.Select(received => received.Message.Key));
    }

    [Fact]
    public async Task A_message_is_a_CloudEvent_with_ids_made_of_the_change_vector()
    {
        await using var scene = await Scene.OpenAsync();
        string changeVector = await scene.PutAsync("orders/1", "{}");
        await scene.StartAsync(
            Scene.Configuration(
                Scene.Transform("loadToA(this); loadToB(this);"),
                Scene.Transform(
                    "loadToC(this, { Id: 'mine', type: 'T', Source: 'S', Subject: 'U', "
                        + "DataSchema: 'D', Time: '2020-02-03T04:05:06+01:00' }); loadToC(this);"
                ) with
                {
                    Name = "Second",
                }
            )
        );
        scene.RunToRest();
        Assert.Equal(
            [changeVector, $"{changeVector}#All/2", "mine", $"{changeVector}#Second/2"],
            scene.Ledger.Select(received => received.Id)
        );
        var first = scene.Ledger[0].Message.Event;
        Assert.Equal("https://shop.example/databases/shop/Orders%20out", first.Source);
        Assert.Equal(("ravendb.etl.put", "orders/1", "orders/1"), (first.Type, first.Subject, first.PartitionKey));
        var third = scene.Ledger[2].Message.Event;
        Assert.Equal(
            ("T", "S", "U", "D", "2020-02-03T03:05:06.0000000Z"),
            (third.Type, third.Source, third.Subject, third.DataSchema, third.Time)
        );
    }

    [Fact]
    public async Task Metadata_is_no_member_of_a_document_and_goes_out_only_where_a_script_puts_it()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", """{"n":1}""");
        Assert.Equal(
            [
                """out: {"n":1}""",
                """out: {"keys":["n"],"own":false,"of":["orders/1","Orders"],"none":["undefined","undefined"]}""",
                """out: {"n":1,"@metadata":{"mine":1}}""",
                """out: {"assigned":{"a":2},"n":1}""",
            ],
            await scene.SendAsync(
                """
                const listed = [];
                for (const key in this) listed.push(key);
                loadTo('out', this);
                loadTo('out', { keys: listed, own: Object.hasOwn(this, '@metadata'), of: [this['@metadata']['@id'], getMetadata(this)['@collection']],
                  none: [typeof ({})['@metadata'], typeof 'text'['@metadata']] });
                const copy = { ...this };
                copy['@metadata'] = { mine: 1 };
                loadTo('out', copy);
                this['@metadata'] = { a: 2 };
                loadTo('out', { assigned: getMetadata(this), ...this });
                """
            )
        );
    }

    [Fact]
    public async Task A_script_sees_ids_metadata_and_other_documents_of_the_same_moment()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("Companies/1", """{"Name":"Fern & Söhne"}""", "Companies");
        await scene.PutAsync("orders/1", """{"Company":"companies/1"}""");
        const string Script = """
            const company = load(this.Company);
            const [none, again] = load(['nobody/1', this.Company]);
            loadToOut({ id: id(this), same: id(), name: company.Name, companyId: id(company), none, equal: again.Name,
              collection: getMetadata(this)['@collection'], its: getMetadata(company)['@collection'], own: this['@metadata']['@id'], keys: Object.keys(this) });
            """;
        Assert.Equal(
            [
                """Out: {"id":"orders/1","same":"orders/1","name":"Fern & Söhne","companyId":"Companies/1","none":null,"equal":"Fern & Söhne","collection":"Orders","its":"Companies","own":"orders/1","keys":["Company"]}""",
            ],
            await scene.SendAsync(Script)
        );
        // A change of what is only loaded sends nothing.
        await scene.PutAsync("Companies/1", """{"Name":"New"}""", "Companies");
        scene.RunToRest();
        Assert.Single(scene.Ledger);
    }

    [Theory]
    [InlineData("throw new Error('no good');", "no good")]
    [InlineData("loadToA('text');", "must be an object")]
    [InlineData("loadToA(() => 1);", "must be an object")]
    [InlineData("loadToA(this, { Colour: 'red' });", "no attribute is named 'Colour'")]
    [InlineData("loadToA(this, 'a.routing.key');", "routing keys")]
    [InlineData("loadToA(this, { Type: 'a\\nb' });", "control character")]
    [InlineData("loadToA(this, { Subject: '\\ud800' });", "half a surrogate pair")]
    [InlineData("loadToA(this, { '\\ud800': 'x' });", "half a surrogate pair")]
    [InlineData("let deep = 'x'; for (let i = 0; i < 100; i++) deep = { deep }; loadToA(this, { Subject: deep });", "nested too deeply")]
    [InlineData("loadTo(this);", "the name of a target")]
    [InlineData("for (let i = 0; i < 100000; i++) { try { loadToA(this); } catch { } }", "more than 1,000 times")]
    [InlineData("function f() { f(); } f();", "RangeError")]
    public async Task A_script_that_fails_for_a_document_makes_it_a_dead_letter_and_sends_none_of_it(string failure, string reason)
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", "{}");
        await scene.PutAsync("orders/2", """{"fine":true}""");
        Assert.Equal(
            ["A: {\"fine\":true}"],
            await scene.SendAsync(
                $"if (!this.fine) {{ {(failure.Contains("this)") ? "" : "loadToA(this);")} {failure} }} else loadToA(this);"
            )
        );
        using var letter = JsonDocument.Parse(Assert.Single(scene.DeadLetters()));
        Assert.Contains(reason, letter.RootElement.GetProperty("Reason").GetString(), StringComparison.Ordinal);
        Assert.Equal("orders/1", letter.RootElement.GetProperty("DocumentId").GetString());
    }

    [Fact]
    public async Task A_script_that_loops_ends_at_its_limit_and_the_next_document_is_sent()
    {
        await using var scene = await Scene.OpenAsync();
        scene.Limits = scene.Limits with { ScriptTime = TimeSpan.FromMilliseconds(30) };
        await scene.PutAsync("orders/1", """{"endless":true}""");
        await scene.PutAsync("orders/2", "{}");
        Assert.Equal(["A: {}"], await scene.SendAsync("while (this.endless) { } loadToA(this);"));
        Assert.Single(scene.DeadLetters());
    }

    [Fact]
    public async Task Nothing_of_one_document_reaches_the_next()
    {
        await using var scene = await Scene.OpenAsync();
        for (int i = 0; i < 5; i++)
            await scene.PutAsync($"orders/{i}", "{}");
        var sent = await scene.SendAsync(
            """
            let leaked = loadToOut.memory;
            try { loadToOut.memory = 1; load.memory = 1; } catch { }
            loadToOut({ id: id(), leaked: leaked === undefined ? 'no' : 'yes', load: load.memory === undefined ? 'no' : 'yes' });
            """
        );
        Assert.Equal(Enumerable.Range(0, 5).Select(i => $"Out: {{\"id\":\"orders/{i}\",\"leaked\":\"no\",\"load\":\"no\"}}"), sent);
    }

    [Theory]
    [InlineData("return () => 1;")]
    [InlineData("return { n: 1 };")]
    [InlineData("return;")]
    public async Task What_a_script_returns_is_sent_to_nobody(string end)
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", """{"n":1}""");
        Assert.Equal(["A: {\"n\":1}"], await scene.SendAsync($"loadToA(this); {end}"));
        Assert.Empty(scene.DeadLetters());
    }

    [Fact]
    public async Task A_target_over_the_limit_of_a_task_stops_it_and_passes_nothing_of_that_batch()
    {
        await using var scene = await Scene.OpenAsync();
        for (int i = 0; i < 2; i++)
            await scene.PutAsync($"orders/{i}", $$"""{"n":{{i}}}""");
        await scene.StartAsync(Scene.Configuration(Scene.Transform("for (let i = 0; i < 501; i++) loadTo(`t${this.n}-${i}`, {});")));
        scene.RunToRest();
        Assert.Equal(EtlTaskState.Stopped, scene.Task.State);
        Assert.Contains("more than 1,000 targets", scene.Task.Status().Reason, StringComparison.Ordinal);
        Assert.Equal((0, 0), (scene.Ledger.Count, scene.StoredPosition()));
    }

    [Fact]
    public async Task Deletions_are_sent_only_where_asked_for()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", "{}");
        await scene.PutAsync("orders/2", "{}");
        var silent = Scene.Transform("loadToA(this);") with { Name = "silent" };
        var plain = Scene.Transform("loadToB(this); /* loadToNever( */ loadTo('b-2', this);") with
        {
            Name = "plain",
            PublishDeletes = true,
        };
        var own = Scene.Transform("if (this.x) loadToC(this); function deleted(id, collection) { loadToC({ gone: id, collection }); }") with
        {
            Name = "own",
            PublishDeletes = true,
        };
        await scene.StartAsync(Scene.Configuration(silent, plain, own));
        scene.RunToRest();
        scene.Ledger.Clear();
        await scene.DeleteAsync("orders/1");
        scene.RunToRest();
        Assert.Equal(
            ["B: ", "b-2: ", "C: {\"gone\":\"orders/1\",\"collection\":\"Orders\"}"],
            scene.Ledger.Select(received => received.ToString()).OrderBy(text => text.ToUpperInvariant().Contains('C') ? 1 : 0)
        );
        Assert.All(scene.Ledger, received => Assert.Equal("ravendb.etl.delete", received.Message.Event.Type));
    }

    [Fact]
    public async Task All_documents_are_all_but_those_of_the_servers_own_collections()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("a", "{}", "Orders");
        await scene.PutAsync("b", "{}", "@hilo");
        await scene.PutAsync("c", "{}", "@empty");
        await scene.PutAsync("d", "{}", "Companies");
        await scene.StartAsync(
            Scene.Configuration(
                new TransformConfiguration
                {
                    Name = "All",
                    ApplyToAllDocuments = true,
                    Script = "loadToA({ id: id() });",
                }
            )
        );
        scene.RunToRest();
        Assert.Equal(["a", "c", "d"], scene.Ledger.Select(received => received.Message.Origin.DocumentId));
    }

    [Fact]
    public async Task Several_collections_come_in_the_order_of_their_changes_and_an_unknown_one_is_empty()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("1", "{}", "B");
        await scene.PutAsync("2", "{}", "A");
        await scene.PutAsync("3", "{}", "Other");
        await scene.PutAsync("4", "{}", "B");
        await scene.PutAsync("5", "{}", "A");
        await scene.StartAsync(Scene.Configuration(Scene.Transform("loadToQ(this);") with { Collections = ["a", "b", "A", "unknown"] }));
        scene.RunToRest();
        Assert.Equal(["1", "2", "4", "5"], scene.Ledger.Select(received => received.Message.Origin.DocumentId));
    }

    [Fact]
    public async Task A_stored_script_that_does_not_compile_stops_the_task_with_its_place()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.StartAsync(Scene.Configuration(Scene.Transform("loadToA(this);\nlet a = ;")));
        scene.RunToRest();
        Assert.Equal(EtlTaskState.Stopped, scene.Task.State);
        Assert.Contains("line 2", scene.Task.Status().Reason, StringComparison.Ordinal);
    }

    [Fact]
    public void Targets_are_found_in_the_code_of_a_script_only()
    {
        const string Script = """
            // loadToComment(this)
            loadToOrders (this); loadTo( 'a b', x); loadTo("c", y); loadTo(name, z);
            const text = 'loadToText(this)', template = `loadToTemplate(${1})`; other.loadToMember(1); loadToOrders(2);
            """;
        Assert.Equal(["Orders", "a b", "c"], ScriptTargets.Literal(Script));
    }
}
