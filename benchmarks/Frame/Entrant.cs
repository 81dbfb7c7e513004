namespace Jackdaw.Bench.Frame;

/// <summary>A contender within a running benchmark: its folder, what it measured, and why it dropped out if it did.</summary>
internal sealed class Entrant(Contender contender, string directory)
{
    public Contender Contender { get; } = contender;

    public string Directory { get; } = directory;

    public List<Sample> Samples { get; } = [];

    public string? Absent { get; set; }

    public string? Failure { get; private set; }

    public bool IsIn => Absent is null && Failure is null;

    /// <summary>
    /// Runs a step. One contender's error must not take the others' figures with it: it is kept, shown in the report with its
    /// whole text, and turned into a failing exit code. Only cancellation goes on up.
    /// </summary>
    public async Task GuardAsync(Func<Task> step, CancellationToken cancel)
    {
        try
        {
            await step();
        }
        catch (ContenderUnavailableException unavailable)
        {
            Absent = unavailable.Message;
        }
        catch (IOException error) when (!cancel.IsCancellationRequested)
        {
            Failure ??= error.Message; // of a server or a program: its message has what that printed
        }
        catch (Exception error) when (!cancel.IsCancellationRequested)
        {
            Failure ??= error.ToString();
        }
    }
}
