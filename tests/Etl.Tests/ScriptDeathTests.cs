using System.Text.Json;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Orders;
using Jackdaw.Etl.Running;
using Jackdaw.Etl.Sinks;
using Jackdaw.Etl.Values;
using Xunit;

namespace Jackdaw.Etl.Tests;

/// <summary>A script that ends the process must not end it for ever. A death is played: what the note said at that moment is all
/// that the next start has of it.</summary>
public sealed class ScriptDeathTests : IAsyncDisposable
{
    private const int NoteBytes = 2 * 64;

    private readonly HashSet<string> _killers = [];
    private readonly List<string> _tried = [];
    private Scene _scene = null!;

    private async Task OpenAsync(int documents, int perBatch = 100)
    {
        _scene = await Scene.OpenAsync();
        _scene.Limits = _scene.Limits with { MaxBatchDocuments = perBatch };
        for (int i = 1; i <= documents; i++)
            await _scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");
    }

    private static EtlTaskConfiguration Task() => Scene.Configuration(Scene.Transform("loadToA({ n: this.n });"));

    /// <summary>Starts the task and lets it run; false when the process died of a document.</summary>
    private async Task<bool> LivesAsync(EtlTaskConfiguration? configuration = null)
    {
        byte[]? atDeath = null;
        int next = NextDocument();
        _scene.AtFailpoint = name =>
        {
            if (name == Failpoint.PositionStored)
                next = NextDocument();
            if (name != Failpoint.Script)
                return;
            // Those that are dead letters already are passed over without a word.
            while (IsDeadLetter($"orders/{next}"))
                next++;
            string document = $"orders/{next++}";
            _tried.Add(document);
            if (!_killers.Contains(document))
                return;
            atDeath = Note();
            throw new SimulatedCrashException(document);
        };
        await _scene.StartAsync(configuration ?? Task());
        try
        {
            _scene.RunToRest();
            return true;
        }
        catch (SimulatedCrashException)
        {
            using var note = _scene.Database.OpenNote(ScriptDeaths.NoteName(7));
            note.Write(0, atDeath!);
            return false;
        }
    }

    private int NextDocument() => (int)(_scene.StoredPosition() ?? 0) + 1;

    private bool IsDeadLetter(string id) => _scene.DeadLetters().Any(letter => letter.Contains($"\"{id}\"", StringComparison.Ordinal));

    private byte[] Note()
    {
        byte[] bytes = new byte[NoteBytes];
        using var note = _scene.Database.OpenNote(ScriptDeaths.NoteName(7));
        note.Read(0, bytes);
        return bytes;
    }

    private string[] Sent() => _scene.Ledger.Select(received => received.Message.Event.Subject).ToArray();

    [Fact]
    public async Task After_two_deaths_documents_are_tried_alone_and_the_killer_becomes_a_dead_letter()
    {
        await OpenAsync(6);
        _killers.Add("orders/4");
        Assert.False(await LivesAsync());
        Assert.False(await LivesAsync());
        Assert.False(await LivesAsync());
        Assert.True(await LivesAsync());
        Assert.Equal(["orders/1", "orders/2", "orders/3", "orders/5", "orders/6"], Sent());
        using var letter = JsonDocument.Parse(Assert.Single(_scene.DeadLetters()));
        Assert.Equal("orders/4", letter.RootElement.GetProperty("DocumentId").GetString());
        Assert.Contains(
            "process ended while the script ran",
            letter.RootElement.GetProperty("Reason").GetString(),
            StringComparison.Ordinal
        );
        // And never again.
        _tried.Clear();
        await _scene.PutAsync("orders/7", """{"n":7}""");
        Assert.True(await LivesAsync());
        Assert.DoesNotContain("orders/4", _tried);
    }

    [Fact]
    public async Task A_killer_is_not_forgotten_before_the_position_is_behind_it()
    {
        await OpenAsync(6);
        _killers.Add("orders/4");
        for (int i = 0; i < 3; i++)
            Assert.False(await LivesAsync());
        byte[]? atDeath = null;
        _scene.AtFailpoint = name =>
        {
            if (name != Failpoint.OnItsWay)
                return;
            atDeath = Note();
            throw new SimulatedCrashException(name);
        };
        var slow = new TaskCompletionSource();
        await _scene.StartAsync(Task(), new RecordingSink(_scene.Ledger) { Afterwards = () => slow.Task });
        Assert.Throws<SimulatedCrashException>(() => _scene.RunToRest());
        using (var note = _scene.Database.OpenNote(ScriptDeaths.NoteName(7)))
            note.Write(0, atDeath!);
        Assert.True(await LivesAsync());
        Assert.Single(_scene.DeadLetters());
    }

    [Fact]
    public async Task Two_killers_in_one_batch_are_both_found()
    {
        await OpenAsync(8);
        _killers.UnionWith(["orders/3", "orders/6"]);
        int deaths = 0;
        while (!await LivesAsync())
            Assert.True(++deaths < 10);
        Assert.Equal(["orders/1", "orders/2", "orders/4", "orders/5", "orders/7", "orders/8"], Sent());
        Assert.Equal(2, _scene.DeadLetters().Length);
        Assert.Equal(6, deaths);
    }

    [Fact]
    public async Task Deaths_that_do_not_come_again_send_every_document_and_are_forgotten()
    {
        await OpenAsync(6);
        _killers.Add("orders/4");
        Assert.False(await LivesAsync());
        _killers.Clear();
        Assert.True(await LivesAsync());
        _killers.Add("orders/8");
        await _scene.PutAsync("orders/7", """{"n":7}""");
        await _scene.PutAsync("orders/8", """{"n":8}""");
        // Were the first death still counted, the third of these would have been alone, and the document a dead letter.
        Assert.False(await LivesAsync());
        _killers.Clear();
        Assert.True(await LivesAsync());
        Assert.Empty(_scene.DeadLetters());
        Assert.Equal(Enumerable.Range(1, 8).Select(i => $"orders/{i}"), Sent().Distinct());
    }

    [Fact]
    public async Task A_killer_is_found_wherever_batches_begin_after_a_start()
    {
        // Nothing passes the script, so positions are stored late, and batches begin elsewhere after each death.
        await OpenAsync(40, perBatch: 7);
        _killers.Add("orders/31");
        var silent = Scene.Configuration(Scene.Transform("if (this.n < 0) loadToA({ n: this.n });"));
        int deaths = 0;
        while (!await LivesAsync(silent))
        {
            Assert.True(++deaths < 10);
            _scene.Limits = _scene.Limits with { MaxBatchDocuments = 7 + deaths };
        }
        Assert.Contains("\"orders/31\"", Assert.Single(_scene.DeadLetters()), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_note_that_is_torn_or_of_another_transform_counts_nothing()
    {
        await OpenAsync(3);
        _killers.Add("orders/2");
        Assert.False(await LivesAsync());
        Assert.False(await LivesAsync());
        byte[] note = Note();
        note[20] ^= 1;
        using (var file = _scene.Database.OpenNote(ScriptDeaths.NoteName(7)))
            file.Write(0, note);
        Assert.False(await LivesAsync());
        _killers.Clear();
        Assert.True(await LivesAsync());
        Assert.Empty(_scene.DeadLetters());
    }

    [Fact]
    public async Task A_process_that_is_killed_while_it_deals_with_a_deletion_without_a_script_buries_nothing()
    {
        await OpenAsync(2);
        await _scene.DeleteAsync("orders/1");
        var configuration = Scene.Configuration(Scene.Transform("loadToA({ n: this.n });") with { PublishDeletes = true });
        for (int i = 0; i < 4; i++)
        {
            byte[]? atDeath = null;
            int scripts = 0;
            _scene.AtFailpoint = name =>
            {
                // The second change is the deletion: what is left behind by a process that is killed then.
                if (name == Failpoint.Script && ++scripts == 2)
                {
                    atDeath = Note();
                    throw new SimulatedCrashException(name);
                }
            };
            await _scene.StartAsync(configuration);
            try
            {
                _scene.RunToRest();
            }
            catch (SimulatedCrashException)
            {
                using var note = _scene.Database.OpenNote(ScriptDeaths.NoteName(7));
                note.Write(0, atDeath!);
            }
        }
        Assert.Empty(_scene.DeadLetters());
        Assert.Equal(["orders/1", "orders/2"], Sent().Distinct().Order());
    }

    [Fact]
    public async Task A_document_that_the_process_ended_at_is_retried_by_itself_once_after_ten_calm_minutes()
    {
        await OpenAsync(6);
        var configuration = Scene.Configuration(
            Scene.Transform("if (this.n === 4 && load('switch')?.isOff) throw new Error('It is off.'); loadToA({ n: this.n });")
        );
        _killers.UnionWith(["orders/2", "orders/4"]);
        await _scene.PutAsync("switch", """{"isOff":true}""", "Switches");
        while (!await LivesAsync(configuration)) { }
        Assert.Equal(2, _scene.DeadLetters().Length);
        _killers.Clear();
        // Somebody kills it once more before the time is over: the ten minutes begin anew.
        _scene.Clock.Advance(TimeSpan.FromMinutes(9));
        Assert.True(await LivesAsync(configuration));
        _scene.Clock.Advance(TimeSpan.FromMinutes(9));
        _scene.RunToRest();
        Assert.Equal(2, _scene.DeadLetters().Length);

        _scene.Clock.Advance(TimeSpan.FromMinutes(1));
        _scene.RunToRest();
        Assert.Equal(["orders/1", "orders/3", "orders/5", "orders/6", "orders/2"], Sent());
        Assert.Contains("It is off.", Assert.Single(_scene.DeadLetters()), StringComparison.Ordinal);

        // Once: what failed then is left to the operator.
        await _scene.PutAsync("switch", """{"isOff":false}""", "Switches");
        _scene.Clock.Advance(TimeSpan.FromMinutes(20));
        _scene.RunToRest();
        Assert.True(await LivesAsync(configuration));
        _scene.Clock.Advance(TimeSpan.FromMinutes(20));
        _scene.RunToRest();
        Assert.Single(_scene.DeadLetters());
    }

    [Theory]
    [InlineData(true, "killed")]
    [InlineData(true, "paused")]
    [InlineData(false, "paused")]
    [InlineData(false, "ended")]
    public async Task A_retry_after_calm_that_a_sink_which_is_down_did_not_take_is_made_again_after_the_next_calm_minutes(
        bool changesWait,
        string then
    )
    {
        await OpenAsync(3);
        _killers.Add("orders/2");
        while (!await LivesAsync()) { }
        _killers.Clear();
        var isDown = true;
        var sink = new RecordingSink(
            _scene.Ledger,
            (sink, delivery) =>
            {
                if (isDown)
                    throw new SinkException(SinkFault.Sink, "It is down.");
                sink.ReceiveRest(delivery);
            }
        );
        await _scene.StartAsync(Task(), sink);
        if (changesWait)
            await _scene.PutAsync("orders/4", """{"n":4}""");
        for (int minute = 0; minute < 30; minute++)
        {
            _scene.Task.RunStep();
            _scene.Clock.Advance(TimeSpan.FromMinutes(1));
        }
        if (then == "paused")
        {
            await new OrderStore(_scene.Database, 7).PauseAsync();
            _scene.Task.Pause();
            _scene.RunToRest();
            isDown = false;
            _scene.Resume();
        }
        else
        {
            if (then == "ended")
            {
                _scene.Task.BeginClose();
                _scene.RunToRest();
            }
            isDown = false;
            await _scene.StartAsync(Task(), sink);
        }
        _scene.RunToRest();
        _scene.Clock.Advance(TimeSpan.FromMinutes(10));
        _scene.RunToRest();
        Assert.Contains("orders/2", Sent());
        Assert.Empty(_scene.DeadLetters());
    }

    [Fact]
    public async Task That_a_dead_letter_was_retried_by_itself_is_durable_before_its_script_runs()
    {
        await OpenAsync(3);
        _killers.Add("orders/2");
        while (!await LivesAsync()) { }
        Assert.Contains("RetriesItself", Assert.Single(_scene.DeadLetters()), StringComparison.Ordinal);
        _killers.Clear();
        string id;
        using (var reader = _scene.Database.OpenRead("test"))
        {
            var cursor = reader.ByEtag(DeadLetter.Collection, 0);
            Assert.True(cursor.MoveNext());
            id = System.Text.Encoding.UTF8.GetString(cursor.Current.Id);
        }
        // What the script sees is what the next start would find if the process ended there.
        string script = $"loadToA({{ retries: load({JsonSerializer.Serialize(id)}).RetriesItself === true }});";
        await _scene.StartAsync(Scene.Configuration(Scene.Transform(script)));
        _scene.Clock.Advance(TimeSpan.FromMinutes(10));
        _scene.RunToRest();
        var sent = _scene.Ledger.Last().Message;
        Assert.Equal("orders/2", sent.Event.Subject);
        Assert.Equal("""{"retries":false}""", System.Text.Encoding.UTF8.GetString(sent.Data.Span));
    }

    [Fact]
    public async Task A_process_that_is_killed_behind_the_change_that_was_tried_last_did_not_die_of_it()
    {
        await OpenAsync(1);
        byte[]? note = null;
        for (int i = 0; i < 3; i++)
        {
            if (note is not null)
                Store(note);
            using var deaths = new ScriptDeaths(_scene.Database, 7, ["All"]);
            bool isAlone = deaths.Begin(0, 0);
            Assert.Equal(i == 2, isAlone);
            if (isAlone)
            {
                deaths.Try(0, 1);
                deaths.Rest(0);
            }
            note = Note();
        }
        Store(note!);
        using var last = new ScriptDeaths(_scene.Database, 7, ["All"]);
        Assert.False(last.IsKiller(0, 1));

        void Store(byte[] bytes)
        {
            using var file = _scene.Database.OpenNote(ScriptDeaths.NoteName(7));
            file.Write(0, bytes);
        }
    }

    public async ValueTask DisposeAsync() => await _scene.DisposeAsync();
}
