using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Patching;
using Jackdaw.Scripting;
using Jackdaw.Scripting.Errors;
using Xunit;

namespace Jackdaw.Documents.Tests.Patching;

/// <summary>Patches inside the merger's transaction, step by step.</summary>
public sealed class PatchTests : IDisposable
{
    private static readonly ScriptEngine s_engine = new();

    /// <summary>Generous where a busy machine must not end what should end by itself.</summary>
    private static readonly Limits s_patient = new() { MaxPatchTime = TimeSpan.FromSeconds(20) };

    private readonly TestDatabase _database = new();

    public void Dispose() => _database.Dispose();

    [Fact]
    public void A_patch_changes_what_the_script_touches_and_nothing_else()
    {
        _database.Do(
            TestDatabase.Put(
                "users/1",
                """{"price":12.7500,"2":"\u00fc","big":9007199254740993,"list":[1.0,9007199254740995],"@metadata":{"@collection":"Users","mine":1.50}}"""
            )
        );
        var patch = Patched("users/1", "this.n = args.x + $x; this.copy = this.big; this.list.shift();", """{"x":20}""");
        Assert.Equal(PatchStatus.Patched, patch.Status);
        Assert.Equal("Users", patch.Collection);
        Assert.StartsWith(
            """{"price":12.7500,"2":"\u00fc","big":9007199254740993,"list":[9007199254740995],"n":40,"copy":9007199254740993,"@metadata":{"mine":1.50,"@collection":"Users","@change-vector":"A:2-""",
            _database.Get("users/1")
        );
        Assert.StartsWith("A:2-", patch.ChangeVector);
    }

    [Fact]
    public void A_patch_that_changes_nothing_takes_no_etag()
    {
        _database.Do(TestDatabase.Put("users/1", """{"a":1.0}"""));
        Assert.Equal(PatchStatus.NotModified, Patched("users/1", "this.a = this.a; this.b = 1; delete this.b;").Status);
        Assert.Equal(1, _database.Writer.LastEtag);
    }

    [Fact]
    public void A_document_that_a_patch_deletes_and_puts_anew_is_patched()
    {
        _database.Do(TestDatabase.Put("users/1", """{"a":1}"""));
        var patch = Patched("users/1", "const key = id(this); del(key); put(key, { a: 2 });");
        Assert.Equal(PatchStatus.Patched, patch.Status);
        Assert.Contains("\"a\":2", _database.Get("users/1"), StringComparison.Ordinal);
        // A document that a script puts at its own id, and leaves as it was, has changed as well.
        Assert.Equal(PatchStatus.Patched, Patched("users/1", "put(id(this), { a: 3 });").Status);
        Assert.Contains("\"a\":3", _database.Get("users/1"), StringComparison.Ordinal);
    }

    [Fact]
    public void Metadata_can_be_changed_and_the_servers_own_members_cannot()
    {
        _database.Do(TestDatabase.Put("users/1", """{"a":1,"@metadata":{"@collection":"Users"}}"""));
        Patched(
            "users/1",
            "getMetadata(this)['@expires'] = '2027-01-01T00:00:00Z'; this['@metadata']['@id'] = 'other'; this['@metadata']['@change-vector'] = 'x';"
        );
        Assert.Contains(
            "\"@expires\":\"2027-01-01T00:00:00Z\",\"@collection\":\"Users\",\"@change-vector\":\"A:2-",
            _database.Get("users/1")
        );
        Assert.Contains("\"@id\":\"users/1\"", _database.Get("users/1"));
        Assert.Throws<DocumentCollectionMismatchException>(() => Patched("users/1", "getMetadata(this)['@collection'] = 'Others';"));
    }

    [Fact]
    public void A_script_loads_puts_and_deletes_and_sees_what_it_has_written()
    {
        _database.Do(TestDatabase.Put("users/1", "{}"));
        _database.Do(TestDatabase.Put("companies/1", """{"name":"ACME","big":9007199254740993}"""));
        _database.Do(TestDatabase.Put("old/1", "{}"));
        Patched(
            "USERS/1",
            """
            const company = load('Companies/1');
            this.company = company.name;
            this.ids = [id(this), id(), id(company), load(null), load('nothing/1')];
            company.seen = lastModified(this) > 0;
            this.put = put(id(company), company);
            this.generated = put('orders/', { from: id(this) });
            this.order = load(this.generated).from;
            this.deleted = [del('old/1'), del('old/1'), load('old/1')];
            this.many = load(['companies/1', 'nothing/1']).map(d => d && d.seen);
            """
        );
        Assert.StartsWith(
            """{"company":"ACME","ids":["users/1","users/1","companies/1",null,null],"put":"companies/1","generated":"orders/0000000000000000005-A","order":"users/1","deleted":[true,false,null],"many":[true,null],"@metadata":{""",
            _database.Get("users/1")
        );
        Assert.StartsWith("""{"name":"ACME","big":9007199254740993,"seen":true,""", _database.Get("companies/1"));
        Assert.Null(_database.Get("old/1"));
    }

    [Fact]
    public void A_script_may_delete_its_own_document()
    {
        _database.Do(TestDatabase.Put("users/1", "{}"));
        var patch = Patched("users/1", "this.a = 1; del(id(this));");
        Assert.Equal((PatchStatus.Patched, null), (patch.Status, patch.ChangeVector));
        Assert.Null(_database.Get("users/1"));
    }

    [Fact]
    public void Output_is_handed_back_in_order_and_bounded()
    {
        _database.Do(TestDatabase.Put("users/1", "{}"));
        Assert.Equal(
            ["text", """{"a":[1]}""", "undefined"],
            Patched("users/1", "output('text'); output({ a: [1] }); output(undefined);").Output
        );
        Assert.Contains("1,048,576", Assert.Throws<PatchException>(() => Patched("users/1", "for (;;) output('x'.repeat(1000));")).Message);
    }

    [Theory]
    [InlineData("this.toJSON = () => undefined;")]
    [InlineData("this.toJSON = () => () => 1;")]
    [InlineData("this.toJSON = () => [];")]
    [InlineData("this.toJSON = () => { throw { line: 1.5, message: '\\ud800', stack: 5 }; };")]
    [InlineData("let o = this; for (let i = 0; i < 600; i++) o = o.o = {};")]
    [InlineData("let o = this; for (let i = 0; i < 3000; i++) o = o.o = {};")]
    [InlineData("this['@metadata'] = 5;")]
    [InlineData("this['@metadata']['@collection'] = {};")]
    [InlineData("this.a = 'x'.repeat(3000000);")]
    [InlineData("put('\\ud800', {});")]
    [InlineData("put('x'.repeat(600), {});")]
    [InlineData("put('a', {}, 'no vector');")]
    [InlineData("put('a', { toJSON: () => undefined });")]
    [InlineData("put('a|b|', 5);")]
    [InlineData("del('');")]
    [InlineData("del({ toString() { throw 1; } });")]
    [InlineData("throw new Proxy({}, { get() { throw 1; } });")]
    public void Whatever_a_script_makes_is_its_own_error_and_poisons_nothing(string script)
    {
        var limits = s_patient with { MaxDocumentBytes = 2 << 20 };
        _database.Do(TestDatabase.Put("users/1", "{}"));
        Assert.ThrowsAny<OperationException>(() => Run(command => Fill(command, "users/1", script, "{}", null, limits)));
        Assert.Null(_database.Storage.Poison);
        _database.Do(TestDatabase.Put("users/2", "{}"));
    }

    [Fact]
    public void Half_a_surrogate_pair_in_output_is_replaced()
    {
        _database.Do(TestDatabase.Put("users/1", "{}"));
        Assert.Equal(["a\uFFFD"], Patched("users/1", "output('a\\ud800');").Output);
    }

    [Theory]
    [InlineData("cmpxchg('a')", "cmpxchg")]
    [InlineData("incrementCounter(this, 'a')", "incrementCounter")]
    [InlineData("timeseries(this, 'a')", "timeseries")]
    public void What_is_not_there_yet_says_so(string call, string name)
    {
        _database.Do(TestDatabase.Put("users/1", "{}"));
        Assert.Contains($"{name}() is not supported", Assert.Throws<PatchException>(() => Patched("users/1", call)).Message);
    }

    [Fact]
    public void A_missing_document_is_no_error_and_can_be_made()
    {
        Assert.Equal(PatchStatus.DocumentDoesNotExist, Patched("users/1", "this.a = 1;").Status);
        var made = Patched("users/", "this.a = 1;", otherwise: "this.made = id(this); this['@metadata'] = { '@collection': 'Users' };");
        Assert.Equal((PatchStatus.Created, "users/0000000000000000001-A", "Users"), (made.Status, made.Id, made.Collection));
        var given = Run(command =>
        {
            Fill(command, "users/3", "this.a = 1;", "{}", null);
            command.CreateIfMissing = Encoding.UTF8.GetBytes("""{"given":1.0}""");
        });
        Assert.Equal(PatchStatus.Created, given.Status);
        Assert.StartsWith("""{"given":1.0,""", _database.Get("users/3"));
    }

    [Fact]
    public void An_unexpected_change_vector_is_a_conflict_or_skips_the_patch()
    {
        _database.Do(TestDatabase.Put("users/1", "{}"));
        void Expect(PatchCommand command) => command.SetExpectedChangeVector("A:77-AAAAAAAAAAAAAAAAAAAAAA");
        Assert.Throws<ConcurrencyException>(() =>
            Run(command =>
            {
                Fill(command, "users/1", "this.a = 1;", "{}", null);
                Expect(command);
            })
        );
        var skipped = Run(command =>
        {
            Fill(command, "users/1", "this.a = 1;", "{}", null);
            Expect(command);
            command.SkipOnMismatch = true;
        });
        Assert.Equal(PatchStatus.Skipped, skipped.Status);
        Assert.DoesNotContain("\"a\"", _database.Get("users/1"));
    }

    [Fact]
    public void A_test_tells_what_would_be_and_leaves_nothing()
    {
        _database.Do(TestDatabase.Put("users/1", """{"a":1}"""));
        string before = _database.Dump();
        PatchCommand? tested = null;
        Assert.Throws<PatchTestedException>(() =>
            Run(command =>
            {
                tested = command;
                Fill(command, "users/1", "this.a = 2; put('users/2', {});", "{}", null);
                command.IsTest = true;
                command.ReturnsModified = true;
                command.ReturnsOriginal = true;
            })
        );
        Assert.Equal(PatchStatus.Patched, tested!.Status);
        Assert.StartsWith("""{"a":2,""", Encoding.UTF8.GetString(tested.ModifiedDocument!.Value.Span));
        Assert.StartsWith("""{"a":1,""", Encoding.UTF8.GetString(tested.OriginalDocument!.Value.Span));
        Assert.Equal(before, _database.Dump());
    }

    [Theory]
    [InlineData("put('users/9', {}); for (;;) { }", typeof(ScriptLimitException))]
    [InlineData("put('users/9', {}); this.a.b.c = 1;", typeof(ScriptRuntimeException))]
    [InlineData("try { put('users/9', {}); put('a\\u0000', {}); } catch { }", null)]
    [InlineData("put('users/9', {}); put('users/8', [1]);", null)]
    [InlineData("put('users/9', {}); try { put('users/2', {}, 'A:77-AAAAAAAAAAAAAAAAAAAAAA'); } catch { }", null)]
    public async Task One_that_fails_fails_alone_and_leaves_nothing(string script, Type? cause)
    {
        _database.Do(TestDatabase.Put("users/1", "{}"));
        _database.Do(TestDatabase.Put("users/2", "{}"));
        var first = _database.Merger.Submit(TestDatabase.Put("a/1", "{}")).AsTask();
        var batch = BatchOperation.Rent();
        Fill(batch.AddPatch(), "users/1", script, "{}", null, cause == typeof(ScriptLimitException) ? Limits.Default : s_patient);
        var failing = _database.Merger.Submit(batch).AsTask();
        var last = _database.Merger.Submit(TestDatabase.Put("a/2", "{}")).AsTask();
        _database.RunAll();
        var refusal = await Assert.ThrowsAnyAsync<OperationException>(() => failing);
        if (cause is not null)
            Assert.IsType(cause, Assert.IsType<PatchException>(refusal).Cause);
        Assert.True(first.IsCompletedSuccessfully && last.IsCompletedSuccessfully);
        Assert.Null(_database.Get("users/9"));
        Assert.Equal(4, _database.Writer.LastEtag);
    }

    [Fact]
    public async Task A_patch_that_is_executed_again_because_of_another_is_applied_once()
    {
        // A patch that happens to be held up for 20 ms is the last of its transaction, and there is nothing to execute again:
        // then once more.
        for (int i = 0; _database.Merger.Statistics.Reexecutions == 0; i++)
        {
            Assert.True(i < 200, "They never come into one transaction.");
            _database.Do(TestDatabase.Put("users/1", """{"n":1}"""));
            var batch = BatchOperation.Rent();
            Fill(batch.AddPatch(), "users/1", "this.n++; output(this.n);", "{}", null);
            var patching = _database.Merger.Submit(batch).AsTask();
            var failing = BatchOperation.Rent();
            Fill(failing.AddPatch(), "users/1", "put('users/2', {}); throw new Error('x');", "{}", null);
            var failed = _database.Merger.Submit(failing).AsTask();
            _database.RunAll();
            await patching;
            await Assert.ThrowsAsync<PatchException>(() => failed);
            Assert.StartsWith("""{"n":2,""", _database.Get("users/1"));
            Assert.Equal(["2"], ((PatchCommand)batch.Commands[0]).Output);
        }
        Assert.Equal(1, _database.Merger.Statistics.Reexecutions);
    }

    [Fact]
    public void A_script_that_writes_more_than_a_transaction_holds_is_refused_and_poisons_nothing()
    {
        using var small = new TestDatabase(maxTransactionBytes: 4 << 20);
        small.Do(TestDatabase.Put("users/1", "{}"));
        var batch = BatchOperation.Rent();
        Fill(
            batch.AddPatch(),
            "users/1",
            "const t = 'x'.repeat(100000); try { for (let i = 0; i < 1000; i++) put('big/' + i, { t }); } catch { }",
            "{}",
            null
        );
        Assert.Throws<OperationTooLargeException>(() => small.Do(batch));
        small.Do(TestDatabase.Put("users/2", "{}"));
    }

    [Fact]
    public void A_batch_patch_is_all_or_nothing()
    {
        _database.Do(TestDatabase.Put("users/1", """{"n":1}"""));
        _database.Do(TestDatabase.Put("users/2", """{"n":2}"""));
        BatchPatchCommand Batch(BatchOperation batch, string script)
        {
            var command = batch.AddBatchPatch();
            command.Limits = s_patient;
            command.Patch = Patch.Compile(s_engine, script, default, s_patient);
            foreach (var id in new[] { "users/1", "users/2", "users/3" })
                command.Add(id, null);
            return command;
        }
        var failing = BatchOperation.Rent();
        Batch(failing, "this.n++; if (this.n > 2) throw new Error('too many');");
        Assert.Contains("users/2", Assert.Throws<PatchException>(() => _database.Do(failing)).Message);
        Assert.StartsWith("""{"n":1,""", _database.Get("users/1"));
        var batch = BatchOperation.Rent();
        var command = Batch(batch, "this.n++;");
        _database.Do(batch);
        Assert.Equal([PatchStatus.Patched, PatchStatus.Patched, PatchStatus.DocumentDoesNotExist], command.Documents.Select(d => d.Status));
    }

    [Fact]
    public void Many_documents_are_patched_a_moment_at_a_time()
    {
        for (int i = 0; i < 30; i++)
            _database.Do(TestDatabase.Put($"users/{i}", """{"n":1}"""));
        var ids = Enumerable.Range(0, 31).Select(i => Encoding.UTF8.GetBytes($"users/{i}")).ToArray();
        var patch = Patch.Compile(
            s_engine,
            "const until = Date.now() + 5; while (Date.now() < until) { } this.n++; if (globalThis.seen) this.n = 0;",
            default,
            s_patient
        );
        int done = 0;
        int patched = 0;
        int operations = 0;
        while (done < ids.Length)
        {
            var operation = new PatchDocumentsOperation(patch, ids, done, s_patient);
            _database.Do(operation);
            Assert.InRange(operation.Done, 1, 8);
            done += operation.Done;
            patched += operation.Patched;
            operations++;
        }
        Assert.Equal(30, patched);
        Assert.True(operations >= 4, $"{operations} operations");
        Assert.All(Enumerable.Range(0, 30), i => Assert.StartsWith("""{"n":2,""", _database.Get($"users/{i}")));
    }

    [Fact]
    public void The_name_that_a_query_gives_the_document_is_the_document()
    {
        _database.Do(TestDatabase.Put("users/1", "{}"));
        var patch = Patch.Compile(
            s_engine,
            "u.a = u === this && $p0 === $.p0;",
            """{"p0":5,"a b":1,"p\u0031":2}"""u8,
            s_patient,
            alias: "u"
        );
        _database.Do(new PatchDocumentsOperation(patch, [Encoding.UTF8.GetBytes("users/1")], 0, s_patient));
        Assert.StartsWith("""{"a":true,""", _database.Get("users/1"));
    }

    private PatchCommand Patched(string id, string script, string arguments = "{}", string? otherwise = null) =>
        Run(command => Fill(command, id, script, arguments, otherwise));

    private static void Fill(PatchCommand command, string id, string script, string arguments, string? otherwise, Limits? limits = null)
    {
        limits ??= s_patient;
        command.Limits = limits;
        command.SetId(id);
        command.Patch = Patch.Compile(s_engine, script, Encoding.UTF8.GetBytes(arguments), limits);
        if (otherwise is not null)
            command.PatchIfMissing = Patch.Compile(s_engine, otherwise, default, limits);
    }

    private PatchCommand Run(Action<PatchCommand> fill)
    {
        var batch = BatchOperation.Rent();
        var command = batch.AddPatch();
        fill(command);
        _database.Do(batch);
        return command;
    }
}
