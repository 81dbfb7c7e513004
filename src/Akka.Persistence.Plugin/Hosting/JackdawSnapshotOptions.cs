using System.Text;
using Akka.Configuration;
using Akka.Persistence.Hosting;

namespace Akka.Persistence.Jackdaw.Hosting;

/// <summary>The settings of a snapshot store.</summary>
public sealed class JackdawSnapshotOptions : SnapshotOptions
{
    /// <summary>Creates options.</summary>
    /// <param name="isDefault">Whether actors use this store when they name none.</param>
    /// <param name="identifier">The name of the section: several stores side by side have different ones.</param>
    public JackdawSnapshotOptions(bool isDefault = true, string identifier = "jackdaw")
        : base(isDefault)
    {
        Identifier = identifier;
        AutoInitialize = true;
    }

    /// <inheritdoc />
    public override string Identifier { get; set; }

    /// <summary>Where the server is.</summary>
    public JackdawConnection Connection { get; set; } = new();

    /// <inheritdoc />
    protected override Config InternalDefaultConfig { get; } =
        JackdawPersistence.DefaultConfiguration().GetConfig("akka.persistence.snapshot-store.jackdaw");

    /// <inheritdoc />
    protected override StringBuilder Build(StringBuilder sb)
    {
        Connection.Append(sb);
        return base.Build(sb);
    }
}
