using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Patching;
using Jackdaw.Scripting;
using Jackdaw.Scripting.Errors;
using Xunit;

namespace Jackdaw.Documents.Tests.Patching;

/// <summary>
/// What patches may take of the merger and of the heap. One batch of slow scripts held the merger for as long as it had commands,
/// 100 ms each, and with it every other write,
/// closing and the end of the process; and each of its commands kept the document before and after.
/// </summary>
public sealed class PatchAllowanceTests : IDisposable
{
    private const int Documents = 50;
    private const string Slow = "const until = Date.now() + 15; while (Date.now() < until) { } this.n++;";

    private static readonly ScriptEngine s_engine = new();

    /// <summary>
    /// 50 documents at 15 ms each are more than the 20 × 30 ms of an operation. The scripts themselves have a patient limit: what
    /// the machine takes for itself meanwhile can count as theirs.
    /// </summary>
    private static readonly Limits s_limits = new() { MaxPatchTime = TimeSpan.FromMilliseconds(30), MaxDocumentBytes = 1 << 20 };

    private static readonly Limits s_patient = new() { MaxPatchTime = TimeSpan.FromSeconds(20), MaxDocumentBytes = 1 << 20 };

    private readonly TestDatabase _database = new();

    public void Dispose() => _database.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_batch_of_slow_patches_is_refused_when_the_time_of_an_operation_is_used_up(bool asOneCommand)
    {
        PutDocuments();
        long etag = _database.Writer.LastEtag;
        var batch = BatchOperation.Rent();
        var patch = Compile(Slow, s_patient);
        if (asOneCommand)
        {
            var command = batch.AddBatchPatch();
            command.Limits = s_limits;
            command.Patch = patch;
            for (int i = 0; i < Documents; i++)
                command.Add($"users/{i}", null);
        }
        else
        {
            for (int i = 0; i < Documents; i++)
                Fill(batch, $"users/{i}", patch, s_limits);
        }
        var refusal = Assert.Throws<PatchException>(() => _database.Do(batch));
        Assert.IsType<ScriptLimitException>(refusal.Cause);
        Assert.Contains("600 ms together, which is 20 times the setting Patching.MaxScriptTimeInMs", refusal.Message);
        Assert.Equal(etag, _database.Writer.LastEtag);
    }

    [Fact]
    public void A_slow_patch_by_query_of_more_documents_than_an_operation_has_time_for_finishes_in_parts()
    {
        PutDocuments();
        var ids = Enumerable.Range(0, Documents).Select(i => Encoding.UTF8.GetBytes($"users/{i}")).ToArray();
        var patch = Compile(Slow, s_patient);
        for (int done = 0; done < Documents; )
        {
            var operation = new PatchDocumentsOperation(patch, ids, done, s_limits);
            _database.Do(operation);
            Assert.InRange(operation.Done, 1, 2);
            done += operation.Done;
        }
        Assert.All(Enumerable.Range(0, Documents), i => Assert.StartsWith("""{"n":2,""", _database.Get($"users/{i}")));
    }

    [Fact]
    public async Task Slow_patches_of_many_callers_do_not_gather_in_one_transaction()
    {
        PutDocuments();
        long before = _database.Merger.Statistics.Transactions;
        var patch = Compile(Slow, s_patient);
        var tasks = Enumerable.Range(0, 10).Select(i => Submit($"users/{i}", patch)).ToArray();
        _database.RunAll();
        await Task.WhenAll(tasks);
        // Of 15 ms each, two reach the 20 ms after which a transaction takes no more.
        Assert.InRange(_database.Merger.Statistics.Transactions - before, 5, 10);
    }

    [Fact]
    public async Task Patches_that_are_slow_when_they_are_executed_again_are_not_all_executed_in_that_transaction()
    {
        PutDocuments();
        long before = _database.Merger.Statistics.Transactions;
        long until = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds() + 500;
        var slowLater = Compile(
            $"const slow = Date.now() > {until} ? Date.now() + 30 : 0; while (Date.now() < slow) {{ }} this.n++; this.slow = slow > 0;",
            s_patient
        );
        var failing = Compile($"while (Date.now() <= {until}) {{ }} put('others/1', {{}}); throw new Error('too bad');", s_patient);
        var tasks = Enumerable.Range(0, 4).Select(i => Submit($"users/{i}", slowLater)).ToArray();
        var failed = Submit("users/9", failing);
        _database.RunAll();
        await Task.WhenAll(tasks);
        Assert.Contains("too bad", (await Assert.ThrowsAsync<PatchException>(() => failed)).Message);
        var documents = Enumerable.Range(0, 4).Select(i => _database.Get($"users/{i}")!).ToArray();
        Assert.All(documents, document => Assert.StartsWith("""{"n":2,""", document));
        // All four, unless the machine is so busy that the quick executions filled a transaction.
        int slow = documents.Count(document => document.Contains("\"slow\":true", StringComparison.Ordinal));
        Assert.InRange(_database.Merger.Statistics.Transactions - before, slow, 4);
        Assert.Null(_database.Get("others/1"));
    }

    [Fact]
    public void Documents_that_patches_hand_back_are_bounded_and_the_one_before_is_kept_only_where_it_is_wanted()
    {
        _database.Do(TestDatabase.Put("large/1", $$"""{"n":1,"text":"{{new string('x', 700_000)}}"}"""));
        var patch = Compile("this.n++;", s_patient);
        var batch = BatchOperation.Rent();
        for (int i = 0; i < 3; i++)
            Fill(batch, "large/1", patch, s_patient).ReturnsModified = i < 2;
        _database.Do(batch);
        Assert.Equal([true, true, false], batch.Commands.Select(c => ((PatchCommand)c).ModifiedDocument is not null));
        Assert.All(batch.Commands, c => Assert.Null(((PatchCommand)c).OriginalDocument));

        foreach (bool original in new[] { false, true })
        {
            var large = BatchOperation.Rent();
            for (int i = 0; i < 4; i++)
            {
                var command = Fill(large, "large/1", patch, s_patient);
                command.ReturnsModified = !original;
                command.ReturnsOriginal = original;
            }
            var refusal = Assert.Throws<TooLargeException>(() => _database.Do(large));
            Assert.Equal((s_patient.MaxPatchResultBytes, "Limits.MaxDocumentSizeInMb"), (refusal.Limit, refusal.Setting));
        }
        Assert.StartsWith("""{"n":4,""", _database.Get("large/1"));
    }

    [Fact]
    public async Task What_patches_hand_back_is_counted_anew_when_they_are_executed_again()
    {
        var limits = s_patient with { MaxDocumentBytes = 64 << 10 };
        _database.Do(TestDatabase.Put("large/1", $$"""{"n":1,"text":"{{new string('x', 60_000)}}"}"""));
        var patch = Compile("this.n++; output('x'.repeat(600000));", limits);
        // Warm, it is so quick that the failing one comes into its transaction.
        var warming = BatchOperation.Rent();
        Fill(warming, "large/1", patch, limits);
        _database.Do(warming);
        var batch = BatchOperation.Rent();
        var command = Fill(batch, "large/1", patch, limits);
        command.ReturnsModified = command.ReturnsOriginal = true;
        var patched = _database.Merger.Submit(batch).AsTask();
        var failed = Submit("large/1", Compile("put('others/1', {}); throw new Error('too bad');", s_patient));
        _database.RunAll();
        await patched;
        await Assert.ThrowsAsync<PatchException>(() => failed);
        Assert.StartsWith("""{"n":3,""", Encoding.UTF8.GetString(command.ModifiedDocument!.Value.Span));
    }

    [Theory]
    [InlineData("output('x'.repeat(600000));")]
    [InlineData("for (let i = 0; i < 40000; i++) output('');")]
    public void Output_is_bounded_for_all_patches_of_an_operation_together(string script)
    {
        PutDocuments();
        var patch = Compile(script, s_patient);
        var one = BatchOperation.Rent();
        Fill(one, "users/1", patch, s_patient);
        _database.Do(one);
        var two = BatchOperation.Rent();
        Fill(two, "users/1", patch, s_patient);
        Fill(two, "users/2", patch, s_patient);
        Assert.Contains("1,048,576 characters in one operation", Assert.Throws<PatchException>(() => _database.Do(two)).Message);
    }

    private static Patch Compile(string script, Limits limits) => Patch.Compile(s_engine, script, default, limits);

    private static PatchCommand Fill(BatchOperation batch, string id, Patch patch, Limits limits)
    {
        var command = batch.AddPatch();
        command.Limits = limits;
        command.SetId(id);
        command.Patch = patch;
        return command;
    }

    private void PutDocuments()
    {
        var batch = BatchOperation.Rent();
        for (int i = 0; i < Documents; i++)
            TestDatabase.AddPut(batch, $"users/{i}", """{"n":1}""");
        _database.Do(batch);
    }

    private Task Submit(string id, Patch patch)
    {
        var batch = BatchOperation.Rent();
        Fill(batch, id, patch, s_patient);
        return _database.Merger.Submit(batch).AsTask();
    }
}
