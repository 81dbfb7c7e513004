namespace Jackdaw.Simulation.Histories;

/// <summary>Zones of the fault table.</summary>
internal enum DamageKind
{
    OneHeader,
    BothHeaders,
    Journal,
    Data,
}
