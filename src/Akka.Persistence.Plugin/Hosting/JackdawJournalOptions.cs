using System.Text;
using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Hosting;

namespace Akka.Persistence.Jackdaw.Hosting;

/// <summary>The settings of a journal and of its read journal.</summary>
public sealed class JackdawJournalOptions : JournalOptions
{
    /// <summary>Creates options.</summary>
    /// <param name="isDefault">Whether actors use this journal when they name none.</param>
    /// <param name="identifier">The name of the section: several journals side by side have different ones.</param>
    public JackdawJournalOptions(bool isDefault = true, string identifier = "jackdaw")
        : base(isDefault)
    {
        Identifier = identifier;
        AutoInitialize = true;
    }

    /// <inheritdoc />
    public override string Identifier { get; set; }

    /// <summary>Where the server is.</summary>
    public JackdawConnection Connection { get; set; } = new();

    /// <summary>The section of the read journal that reads this journal's events.</summary>
    public string QueryPluginId => $"akka.persistence.query.journal.{Identifier}";

    /// <inheritdoc />
    protected override Config InternalDefaultConfig { get; } =
        JackdawPersistence.DefaultConfiguration().GetConfig("akka.persistence.journal.jackdaw");

    /// <inheritdoc />
    protected override StringBuilder Build(StringBuilder sb)
    {
        Connection.Append(sb);
        base.Build(sb);
        return sb.AppendLine($"{QueryPluginId}.write-plugin = {PluginId.ToHocon()}");
    }
}
