using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Simulation.Merging;

/// <summary>An operation under way: the real one, and what the model says of it.</summary>
internal abstract class SimulatedOperation(MergedOperation inner) : MergedOperation
{
    private bool _metDamage;

    /// <summary>In the order of submission, through all sessions.</summary>
    public required int Number { get; init; }

    /// <summary>It refuses itself at its n-th fault point, or at its end; null: it does not.</summary>
    public int? RefusesItselfAt { get; init; }

    /// <summary>The transaction that it was committed in or, where nothing was committed, whose state it saw; 0: not known yet.</summary>
    public long Transaction { get; set; }

    public bool IsAnswered { get; set; }

    /// <summary>What it was answered with; null: it is kept, or not answered yet.</summary>
    public Exception? AnsweredWith { get; set; }

    /// <summary>UTC ticks of the last execution.</summary>
    public long ExecutedAt { get; private set; }

    public int Executions { get; private set; }

    /// <summary>Happens once while it executes.</summary>
    public Action? Meanwhile { get; set; }

    public override long SizeBytes => inner.SizeBytes;

    internal override bool IsShort => inner.IsShort;

    /// <summary>Nothing of it can be too much for a transaction.</summary>
    public abstract bool IsSmall { get; }

    public abstract override string ToString();

    internal override void Execute(DocumentsWriter writer)
    {
        Require(!_metDamage, "it met a damaged page, and is executed again");
        Executions++;
        ExecutedAt = writer.NowTicks;
        var meanwhile = Meanwhile;
        Meanwhile = null;
        meanwhile?.Invoke();
        try
        {
            ExecuteInner(writer);
        }
        catch (CorruptedDataException)
        {
            _metDamage = true;
            throw;
        }
    }

    private void ExecuteInner(DocumentsWriter writer)
    {
        if (RefusesItselfAt is not { } points)
        {
            inner.Execute(writer);
            return;
        }
        writer.FaultPoint = () =>
        {
            if (points-- == 0)
                throw new SimulatedRefusalException();
        };
        try
        {
            inner.Execute(writer);
        }
        finally
        {
            writer.FaultPoint = null;
        }
        throw new SimulatedRefusalException();
    }

    /// <summary>
    /// Holds what the merger made of it against what the model makes of it, on the state that everything before it left; returns
    /// the state that it leaves.
    /// </summary>
    public DatabaseState Judge(DatabaseState before, OperationException? refusal)
    {
        if (refusal is SimulatedRefusalException)
        {
            OracleException.Require(RefusesItselfAt != null, $"{this}: refused by another's fault");
            return before;
        }
        var (after, expected) = Model(before, kept: refusal == null);
        if (refusal != null)
        {
            OracleException.Require(
                expected?.Type == refusal.GetType(),
                $"{this}: refused with {refusal.GetType().Name} ({refusal.Message}) "
                    + $"where the model says {expected?.ToString() ?? "that it is kept"}"
            );
            OracleException.Require(
                expected!.Seen == SeenBy(refusal),
                $"{this}: the refusal tells of '{SeenBy(refusal)}', but before it stood '{expected.Seen}'"
            );
            return before;
        }
        OracleException.Require(RefusesItselfAt == null, $"{this}: it refused itself, and was kept");
        OracleException.Require(expected == null, $"{this}: kept where the model refuses it with {expected}");
        return after;
    }

    /// <summary>The caller has his answer.</summary>
    public virtual void Return() { }

    /// <summary>
    /// What it makes of a state, or how it is refused. With <paramref name="kept"/> its results are there, are to be checked, and
    /// decide what the protocol leaves open.
    /// </summary>
    protected abstract (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept);

    protected void Require(bool condition, string what) => OracleException.Require(condition, $"{this}: {what}");

    private static string? SeenBy(OperationException refusal) =>
        refusal switch
        {
            ConcurrencyException conflict => conflict.ActualChangeVector,
            DocumentCollectionMismatchException mismatch => mismatch.ExistingCollection.ToLowerInvariant(),
            _ => null,
        };
}
