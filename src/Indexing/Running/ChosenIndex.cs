using Jackdaw.Documents;
using Jackdaw.Indexing.Processes;
using Jackdaw.Indexing.Queries;

namespace Jackdaw.Indexing.Running;

/// <summary>
/// The index that answers a query, and the moments in which it does. Until the first moment is open, an index that is deleted or replaced
/// gives way to another one that has the fields; from then on the answer keeps the index that it began with (<see cref="Keep"/>). Of one
/// thread at a time; ends with Dispose.
/// </summary>
/// <param name="database">Which database.</param>
/// <param name="plan">What is asked.</param>
/// <param name="wait">Waits until the chosen index has seen what the query is to see. Called for each index that is chosen.</param>
public sealed class ChosenIndex(Database database, QueryPlan plan, Func<IndexChoice, CancellationToken, Task> wait) : IDisposable
{
    private readonly QueryMoments _moments = new(database);
    private QueryPlan _plan = plan;
    private bool _hasOpened;

    /// <summary>The index, once <see cref="ChooseAsync"/> has found it.</summary>
    public IndexChoice Choice { get; private set; }

    /// <summary>What is asked, as the index answers it once it is chosen.</summary>
    public QueryPlan Plan => _plan;

    /// <summary>Finds the index, or makes it, and waits for it. Errors: those of <see cref="IndexChoice.MakeAsync"/>, those of the wait,
    /// and <see cref="IndexUnavailableException"/> when the index is disabled or in error and no other one has the fields.</summary>
    public async Task ChooseAsync(CancellationToken cancellation)
    {
        Choice = await IndexChoice.MakeAsync(database, _plan, cancellation).ConfigureAwait(false);
        _plan = Choice.Answering(_plan);
        await WaitAsync(cancellation).ConfigureAwait(false);
    }

    /// <summary>Opens the next moment. Errors: those of <see cref="ChooseAsync"/>, and those of
    /// <see cref="Processes.Index.OpenReadAsync"/>.</summary>
    /// <param name="purpose">Names the readers in statistics.</param>
    /// <param name="cancellation">Ends the wait for the index.</param>
    public async ValueTask<QueryMoment> OpenAsync(string purpose, CancellationToken cancellation)
    {
        while (true)
        {
            try
            {
                var moment = await _moments.OpenAsync(Choice.Index, purpose, cancellation).ConfigureAwait(false);
                _hasOpened = true;
                return moment;
            }
            catch (IndexUnavailableException) when (!_hasOpened)
            {
                // Of several that follow each other, each may be gone before it is opened. This ends: one that was replaced does not come
                // back, and one that was just made or found does not make room for another (IndexingLimits.QueryWait).
                if (!await IsChosenAgainAsync(cancellation).ConfigureAwait(false))
                    throw;
                await WaitAsync(cancellation).ConfigureAwait(false);
            }
        }
    }

    /// <summary>The answer goes on after this moment, over the same index.</summary>
    public void Keep(QueryMoment moment) => _moments.Keep(moment);

    /// <inheritdoc/>
    public void Dispose() => _moments.Dispose();

    private async Task WaitAsync(CancellationToken cancellation)
    {
        while (true)
        {
            try
            {
                await wait(Choice, cancellation).ConfigureAwait(false);
                return;
            }
            catch (IndexUnavailableException)
            {
                if (!await IsChosenAgainAsync(cancellation).ConfigureAwait(false))
                    throw;
            }
        }
    }

    /// <summary>False: there is no other index.</summary>
    private async ValueTask<bool> IsChosenAgainAsync(CancellationToken cancellation)
    {
        // For the plan that has been made of the first one: answers have begun by it.
        var again = await IndexChoice.MakeAsync(database, _plan, cancellation).ConfigureAwait(false);
        if (again.Index is null || again.Index == Choice.Index)
            return false;
        Choice = again;
        return true;
    }
}
