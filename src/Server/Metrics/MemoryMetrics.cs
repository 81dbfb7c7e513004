using System.Diagnostics.Metrics;
using Jackdaw.Scripting;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Server.Metrics;

/// <summary>The process's memory by owner, as observed instruments: nothing is done while nobody looks. Listed in docs/memory.md.</summary>
internal sealed class MemoryMetrics : IDisposable
{
    private readonly Meter _meter = new("Jackdaw.Memory");

    public MemoryMetrics(MemoryAllowance allowance, ScriptEngine scripts)
    {
        Measure(
            "pool.kept",
            "By",
            "Memory that pools keep for their next use.",
            () => KeptMemory.Accounts().Select(a => Of(a.KeptBytes, a.Owner))
        );
        Measure("pool.bound", "By", "The most that pools keep.", () => KeptMemory.Accounts().Select(a => Of(a.MaxKeptBytes, a.Owner)));
        Measure("allowance", "By", "What scratch, waiting operations and indexes may take together.", () => [new(allowance.TotalBytes)]);
        Measure("allowance.used", "By", "What they have taken.", () => allowance.Accounts().Select(a => Of(a.Bytes, a.Owner)));
        Measure("anonymous", "By", "Resident memory of the process without mapped files.", () => [new(ProcessStatus.AnonymousBytes())]);
        Measure("native", "By", "Native memory of the storage engine.", Native);
        Measure("managed.committed", "By", "Managed heap, with its free memory.", () => [new(GC.GetGCMemoryInfo().TotalCommittedBytes)]);
        Measure("script.machines", "{machine}", "Script machines that nobody uses.", () => [new(scripts.IdleMachineCount)]);
    }

    public void Dispose() => _meter.Dispose();

    private static IEnumerable<Measurement<long>> Native() =>
        NativeArena
            .Accounts()
            .GroupBy(account => account.Owner.Split(" of ", 2)[0], StringComparer.Ordinal)
            .Select(owner => Of(owner.Sum(account => account.Bytes), owner.Key));

    private static Measurement<long> Of(long value, string owner) => new(value, new KeyValuePair<string, object?>("owner", owner));

    private void Measure(string name, string unit, string description, Func<IEnumerable<Measurement<long>>> look) =>
        _meter.CreateObservableGauge($"jackdaw.memory.{name}", look, unit, description);
}
