using Jackdaw.Documents.Commands;

namespace Jackdaw.Simulation.Merging;

/// <summary>Puts and deletes, all or none.</summary>
internal sealed class SimulatedBatch : SimulatedOperation
{
    /// <summary>Bytes of bodies that need no overflow pages to speak of.</summary>
    private const int SmallBytes = 4096;

    private readonly BatchOperation _batch;
    private readonly List<SimulatedCommand> _commands;

    private SimulatedBatch(BatchOperation batch, List<SimulatedCommand> commands)
        : base(batch)
    {
        _batch = batch;
        _commands = commands;
    }

    public override bool IsSmall => _commands is [SimulatedPut or SimulatedDelete { IsPrefix: false }] && _batch.SizeBytes < SmallBytes;

    public static SimulatedBatch Make(List<SimulatedCommand> commands, int number, int? refusesItselfAt)
    {
        var batch = BatchOperation.Rent();
        foreach (var command in commands)
        {
            if (command is SimulatedPut put)
                put.AddTo(batch);
            else
                ((SimulatedDelete)command).AddTo(batch);
        }
        return new SimulatedBatch(batch, commands) { Number = number, RefusesItselfAt = refusesItselfAt };
    }

    public override void Return() => _batch.Return();

    public override string ToString() => $"operation {Number} ({string.Join(", ", _commands)})";

    protected override (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept)
    {
        var state = before;
        foreach (var command in _commands)
        {
            (state, var refusal) = command.Model(state, kept, ExecutedAt);
            if (refusal != null)
                return (before, refusal);
        }
        return (state, null);
    }
}
